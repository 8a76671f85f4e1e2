"""Maps of impacts: domains are those of the equations, names do not overlap, the command writes them."""

from itertools import combinations

import numpy as np
import pytest
from matplotlib.patches import FancyArrowPatch
from matplotlib.path import Path as Outline
from typer.testing import CliRunner

from trundle.cli import app
from trundle.walker import PercussionPlane, predict
from trundle.walker.pictures.percussion import domains, plot_percussion_plane
from trundle.walker.pictures.percussion_panel import Window
from trundle.walker.pictures.scenario_map import plot_scenarios


def call(*arguments):
    return CliRunner().invoke(app, ["impact", *map(str, arguments)])


@pytest.mark.parametrize("degrees", [15, 30, 45, 60, 80])
def test_domains_of_the_picture_are_those_of_the_changes_of_motion(degrees):
    plane = PercussionPlane(np.radians(degrees))
    window = Window(plane, None)
    rng = np.random.default_rng(degrees)
    x, y = rng.uniform(window.left, window.right, 4000), rng.uniform(window.low, window.high, 4000)
    drawn = domains(plane, window)
    found = {name: Outline(polygon).contains_points(np.column_stack([x, y])) for name, polygon in drawn.items()}
    inside, change = plane.inside(x, y), plane.increments(x, y).signs()
    backward = (x < 0) & (y > 0)
    single = inside & (change.v_nb > 0) & (change.v_nf > 0)
    wanted = {
        "double point": inside & (change.v_nb < 0),
        "jamb": inside & (change.v_nf < 0),
        "reversal": single & plane.reversal(x, y),
        "backward": single & backward & ~plane.reversal(x, y),
        "growing": single & ~backward & (change.v_t > 0),
        "falling": single & ~backward & (change.v_t < 0),
    }
    assert set(drawn) == set(wanted)
    for name, mask in wanted.items():
        assert np.count_nonzero(mask != found[name]) <= 4, name  # corners of the drawn curve


def names(figure):
    axes = figure.axes[0]
    texts = [text for text in axes.texts if text.get_text()]
    return [text.get_text() for text in texts], [text.get_window_extent() for text in texts], axes


def test_names_stand_apart_inside_the_picture():
    figures = [plot_percussion_plane(np.radians(30.0)), plot_scenarios(np.radians(60.0))]
    for figure, some in zip(figures, ({"DP", "jamb", "may\nreverse", "G"}, {"DP", "forward\n+ stick"}), strict=True):
        words, boxes, axes = names(figure)
        assert some <= set(words)
        assert not any(a.overlaps(b) for a, b in combinations(boxes, 2))
        frame = axes.get_window_extent()
        assert all(frame.x0 <= box.x0 and box.x1 <= frame.x1 for box in boxes)


def test_legend_explains_the_picture():
    wheel = plot_percussion_plane(np.radians(60.0), 0.625, 0.4)
    told = [text.get_text() for text in wheel.axes[0].get_legend().get_texts()]
    assert "λ = 0.625" in told and "critical centre, μ$_c$ = 0.4949" in told
    assert any(text.startswith("SP-DP") for text in told)
    narrow = plot_percussion_plane(np.radians(40.0)).axes[0].get_legend().get_texts()
    assert not any(text.get_text().startswith("SP-DP") for text in narrow)
    backward = plot_scenarios(np.radians(60.0), slip=-0.3).axes[0].get_legend().get_texts()
    assert "backward+stick" in [text.get_text() for text in backward]


@pytest.mark.parametrize("plane", ["signs", "lambda-mu"])
def test_the_verb_writes_pictures(tmp_path, plane):
    target = tmp_path / f"map.{'png' if plane == 'signs' else 'svg'}"
    result = call("map", "--beta", 60, "--plane", plane, "-o", target)
    assert result.exit_code == 0 and str(target) in result.output.replace("\n", "")
    assert target.read_bytes()[:5] in (b"<?xml", b"\x89PNG\r")


@pytest.mark.parametrize(
    ("lam", "mu", "slip", "words"),
    [
        (0.625, 0.6, 0.05, ["1: slides forward", "2: sticks"]),
        (0.9, 0.1, -0.1, ["1: slides backward", "2: slides forward"]),
        (0.3, 0.1, 0.2, ["1: drives the back foot down at once"]),
        (0.625, 1.7321, 0.2, ["1: slides forward"]),  # tan(beta): the centre is far outside
    ],
)
def test_the_jump_of_the_centre_is_drawn(lam, mu, slip, words):
    half_angle = np.radians(40.0) if slip < 0 else np.radians(60.0)
    found = predict(lam, half_angle, mu, slip, -0.1 if mu > 1 else -1.0)
    figure = plot_percussion_plane(half_angle, lam, mu, scenario=found)
    axes = figure.axes[0]
    told = [text.get_text() for text in axes.get_legend().get_texts()][-len(words) :]
    assert all(line.startswith(word) for line, word in zip(told, words, strict=True))
    places = {text.get_text(): text.get_position() for text in axes.texts if text.get_gid() == "jump"}
    assert list(places) == [word[0] for word in words]
    window = np.array([axes.get_xlim(), axes.get_ylim()])
    for phase, place in zip(found.phases, places.values(), strict=True):
        if mu < 1:
            assert place == pytest.approx(phase.centre)
        assert np.all((window[:, 0] < place) & (place < window[:, 1]))
    assert len([patch for patch in axes.patches if isinstance(patch, FancyArrowPatch)]) == len(words) - 1


def test_the_verb_draws_the_jump(tmp_path):
    target = tmp_path / "jump.svg"
    result = call("map", "--beta", 60, "--lambda", 0.625, "--mu", 0.6, "--slip", 0.05, "-o", target)
    assert result.exit_code == 0 and target.stat().st_size > 10_000
    result = call("map", "--beta", 60, "--slip", 0.05, "-o", target)
    assert result.exit_code == 2 and "the centres of one impact" in " ".join(result.output.split())


def test_the_verb_chooses_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert call("map", "--beta", 30, "--lambda", 0.5, "--mu", 0.3).exit_code == 0
    assert (tmp_path / "out" / "impact-pc-30.svg").stat().st_size > 10_000


def test_the_verb_predicts():
    result = call("predict", "--beta", 60, "--lambda", 0.625, "--mu", 3.2, "--slip", 0.1)
    assert result.exit_code == 0
    for text in (
        "forward+stick",
        "the front foot jambs",
        "mu_DP 0.2886751346",
        "mu_c 0.4948716593",
        "mu_j 3.175426481",
    ):
        assert text in result.output
    result = call("predict", "--beta", 60, "--lambda", 0.9, "--mu", 0.5, "--slip", -0.3)
    assert "DP" in result.output and "0.3464101615 (backward: DP above)" in result.output
    stronge = ("--law", "stronge", "--restitution", np.sqrt(0.8 / 1.2))
    result = call("predict", "--beta", 60, "--lambda", 0.25, "--mu", 2.9, "--slip", 0.5, *stronge)
    assert "-> 1.13151" in result.output
    result = call("predict", "--beta", 17, "--lambda", 0.9, "--mu", 0.1, "--mu-static", 0.4, "--slip", -0.1)
    assert "backward+stick" in result.output


@pytest.mark.parametrize(
    ("arguments", "code", "text"),
    [
        (["map", "--beta", 90], 2, "must lie between 0 and 90"),
        (["map", "--beta", 60, "--mu", 1], 2, "--lambda"),
        (["map", "--beta", 60, "--plane", "lambda-mu", "--restitution", 2], 1, "restitution is 2.0"),
        (["predict", "--beta", 60, "--lambda", -1, "--mu", 1], 1, "inertia_ratio is -1.0"),
    ],
)
def test_faults_are_reported(arguments, code, text):
    result = call(*arguments)
    assert result.exit_code == code
    assert text in " ".join(result.output.split())
