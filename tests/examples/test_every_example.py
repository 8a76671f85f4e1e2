"""Every example has an explanation, a picture, plots, and a run that ends well."""

import pytest

from trundle import examples

NAMES = examples.names()
EXPECTED = {
    "andrews-squeezer", "ball-in-bowl", "benchmark-bicycle", "bricard", "chain", "change-point-four-bar", "dzhanibekov",
    "flyball-governor", "four-bar", "four-bar-diagonal-spring", "heavy-top", "n-four-bar", "rolling-disc",
    "simple-pendulum", "spatial-slider-crank", "stiff-four-bar", "fixed-ideal-joint", "free-ideal-joint",
    "spring-ideal-joint", "fixed-controlled-joint", "free-slide-joint", "fixed-servo-joint", "two-bodies-on-a-hinge",
    "spring-door", "two-hinge-door", "two-hinge-door-compliant", "four-wheel-vehicle", "four-wheel-vehicle-compliant",
    "ball-in-turning-pipe", "chaplygin-sleigh", "snakeboard", "wheel-climbs-kerb", "ball-on-step", "rattleback",
    "lamp-on-ship", "carousel", "foucault-pendulum", "satellite", "following-frame",
    "pumped-swing", "governed-engine", "single-track-car", "bicycle-with-tyres", "spinning-disc",
    "askew-bicycle", "roller-rig", "wheelset-on-track", "rolling-cone",
    "planetary-gear", "rack-and-pinion", "belt-drive", "dominoes", "cam-and-follower", "electric-motor",
}  # fmt: skip


def test_the_gallery_is_complete() -> None:
    assert set(NAMES) >= EXPECTED


@pytest.mark.parametrize("name", NAMES)
def test_every_example_has_a_sentence_and_a_comment(name: str) -> None:
    example = examples.find(name)
    assert example.sentence().endswith(".") and len(example.sentence()) > 20
    assert example.path.is_file()
    if example.path.suffix == ".yaml":
        lines = example.path.read_text().splitlines()
        comment = next(i for i, line in enumerate(lines) if not line.startswith("#"))
        assert 2 <= comment <= 5


@pytest.mark.parametrize("name", NAMES)
def test_every_example_runs_as_its_file_describes(name: str) -> None:
    file = examples.load(name)
    assert all(body.shape for body in file.model.free_bodies) or name == "rattleback"  # drawn by its ellipsoid
    assert len(file.run.plot) >= 2
    assert file.run.duration is not None
    wish = file.run
    run = file.model.build().simulate(wish.duration, method=wish.method, rtol=wish.rtol, atol=wish.atol, samples=101)
    assert run.ok, run.outcome
    assert run.energy.drift < 1e-6
    for quantity in wish.plot:
        assert len(run.values(quantity)) == 101
