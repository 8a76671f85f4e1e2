"""Moving frames in files, in descriptions, in the bond graph, in pictures, in copies and other processes."""

import copy
import pickle
from pathlib import Path

import numpy as np
import pytest

import trundle as tr
from trundle.errors import FileError, SolveError
from trundle.file.read import load_file
from trundle.study.batch import BatchWarning

FERRY = """
name: ferry
parameters: {roll: 0.3}
bodies:
  lamp: {mass: 2, inertia: [0.03, 0.04, 0.02], com: [0, 0, -1], shape: {ball: {radius: 0.1, at: [0, 0, -1]}}}
frames:
  deck:
    position: [0, 0, 0.5*sin(0.8*t)]
    rotation: {axis: x, angle: roll*sin(0.8*t)}
    shape: {box: {size: [4, 2, 0.1]}}
  mast:
    rotation: ["cos(t)", 0, 0, "sin(t)"]
  keel:
    rotation: [["cos(t)", "-sin(t)", 0], ["sin(t)", "cos(t)", 0], [0, 0, 1]]
connections:
  lamp: {pair: Spherical, first: {body: deck, at: [0, 0, 3]}, second: lamp}
outputs:
  seen: lamp.position_x + mast.position_x + keel.position_x
events:
  half: {expression: t - 0.5, direction: 1, action: {roll: 0.1}, keeps: relative}
start: {lamp.angular_rate: [0.1, 0.5, 1]}
"""


@pytest.fixture
def ferry(tmp_path: Path) -> tr.Model:
    path = tmp_path / "ferry.yaml"
    path.write_text(FERRY)
    return load_file(path).model


def test_a_file_gives_the_model_that_python_gives(ferry: tr.Model) -> None:
    m = tr.Model("ferry")
    roll = m.parameter("roll", 0.3)
    deck = m.moving_frame("deck", lambda s: (0, 0, 0.5 * tr.sin(0.8 * s.t)), lambda s: ("x", roll * tr.sin(0.8 * s.t)))
    m.connect(tr.Spherical(), deck.at(0, 0, 3), m.body("lamp", mass=2, inertia=(0.03, 0.04, 0.02), com=(0, 0, -1)))
    m.start = {"lamp.angular_rate": (0.1, 0.5, 1)}
    runs = [model.build().simulate(0.4) for model in (ferry, m)]
    np.testing.assert_allclose(runs[0].values("lamp.quaternion"), runs[1].values("lamp.quaternion"), atol=1e-14)
    assert ferry.events["half"].keeps == "relative"
    turned = runs[0].values("keel.rotation")[-1].reshape(3, 3).T
    np.testing.assert_allclose(turned[:2, 0], [np.cos(0.4), np.sin(0.4)], atol=1e-12)


def test_frames_of_a_file_move_with_its_states(tmp_path: Path) -> None:
    path = tmp_path / "tram.yaml"
    path.write_text(
        "name: tram\ngravity: [0, 0, 0]\nbodies: {car: {mass: 1, inertia: 1}}\n"
        "states: {s: V, V: {rate: 2.0, start: 1.0}}\nframes: {track: {position: [s, 0, 0]}}\n"
        "connections: {car: {pair: Prismatic, axis: x, first: track, second: car}}\n"
    )
    run = load_file(path).model.build().simulate(1.0, samples=3)
    np.testing.assert_allclose(run.values("track.position_x"), [0, 0.75, 2.0], atol=1e-9)
    np.testing.assert_allclose(run.values("car.displacement")[-1], -1.0, atol=1e-9)  # left behind


@pytest.mark.parametrize(
    ("was", "is_", "words"),
    [
        ("0.5*sin(0.8*t)", "lamp.position_x", "there is no quantity called 'lamp.position_x'"),
        ("{axis: x, angle: roll*sin(0.8*t)}", "{axis: x}", "give axis and angle"),
        ("body: deck", "body: dekc", "there is no body called 'dekc'"),
        ("keeps: relative", "keeps: both", "'absolute' or 'relative'"),
    ],
)
def test_faults_of_a_file(tmp_path: Path, was: str, is_: str, words: str) -> None:
    path = tmp_path / "ferry.yaml"
    path.write_text(FERRY.replace(was, is_))
    with pytest.raises(FileError) as error:
        load_file(path)
    assert words in str(error.value)


def test_frames_in_descriptions_and_as_sources_of_flow(ferry: tr.Model) -> None:
    system = ferry.build()
    text = system.describe()
    assert "Moving frames, whose motion is given: deck, mast, keel." in text and "deck -> lamp: Spherical" in text
    nodes = {node.name: node for node in system.graph.nodes}
    assert nodes["Sf deck"].kind == "Sf" and nodes["Sf deck"].label == "given motion"
    assert any(bond.tail == "Sf deck" and bond.head == "1 deck" for bond in system.graph.bonds)
    assert "given motion" in system.graph._repr_svg_()


def test_frames_in_pictures(ferry: tr.Model, tmp_path: Path) -> None:
    run = ferry.build().simulate(0.4, samples=5)
    run.draw(path=tmp_path / "ferry.png")
    run.power.sankey(path=tmp_path / "energy.svg")
    assert "given motion of deck" in str(run.power.table())
    assert (tmp_path / "ferry.png").stat().st_size > 1000 and (tmp_path / "energy.svg").stat().st_size > 1000


def test_copies_and_bytes(ferry: tr.Model) -> None:
    system = ferry.build()
    assert copy.deepcopy(ferry).build().spec.key == system.spec.key
    assert pickle.loads(pickle.dumps(ferry)).build().spec.key == system.spec.key
    again = pickle.loads(pickle.dumps(system))
    a, b = (s.simulate(0.2, samples=2).values("lamp.position") for s in (system, again))
    np.testing.assert_array_equal(a, b)


def test_a_stored_run_contains_its_frames(ferry: tr.Model, tmp_path: Path) -> None:
    run = ferry.build().simulate(0.4, samples=5)
    again = tr.load(run.save(tmp_path / "ferry.nc"))
    np.testing.assert_array_equal(again.values("deck.position"), run.values("deck.position"))
    again.draw()


@pytest.mark.parametrize(
    ("position", "angle", "when"),
    [
        (lambda s: (tr.where(s.t < 1.3, 0.0, 0.1), 0, 0), lambda s: 0.0, "1.3"),
        (lambda s: (tr.abs(s.t - 2.345), 0, 0), lambda s: 0.0, "2.345"),
        (lambda s: (0, 0, 0), lambda s: tr.where(s.t < 7.77, 0.0, 0.01), "7.77"),
        (lambda s: (0.01 * tr.sin(300 * s.t), 0, 0), lambda s: 5 * s.t**2, None),
        (lambda s: (tr.where(s.t < 3, 0, (s.t - 3) ** 2), 0, 0), lambda s: tr.exp(s.t / 5), None),
    ],
)
def test_motions_that_jump_are_refused_and_fast_ones_are_not(position, angle, when) -> None:
    m = tr.Model("deck")
    frame = m.moving_frame("deck", position=position, rotation=lambda s: ("y", angle(s)))
    m.connect(tr.Free(), frame, m.body("box", mass=1.0, inertia=1.0))
    system = m.build()
    system.simulate(1.0, steps=tr.Steps(longest=0.1))
    if when is None:
        system.simulate(10.0, steps=tr.Steps(longest=0.1))
    else:
        with pytest.raises(SolveError, match=f"frame 'deck': its pose or its velocity jumps at t = {when} s"):
            system.simulate(10.0)


def test_a_jump_in_one_case_of_a_batch_is_reported_of_that_case() -> None:
    """By a parameter and by a table; the other cases are run, as alone."""
    m = tr.Model("deck")
    when, unused = m.parameter("when", 9.0, "s"), m.parameter("force", 1.0, "N")
    way = m.table("way", tr.Table([0.0, 1.0, 4.0], [0.0, 0.25, 1.0], between="linear"))
    kink = tr.Table([0.0, 1.25, 4.0], [0.0, 0.25, 1.0], between="linear")
    deck = m.moving_frame("deck", position=lambda s: (way(s.t), tr.abs(s.t - when), 0))
    m.connect(tr.Prismatic("x"), deck, m.body("box", mass=1.0), law=tr.Spring(30.0) + tr.Motor(lambda t, q, u: unused))
    system = m.build()
    whens, tables = [9.0, 1.5, 8.0, 7.0], [way.table] * 3 + [kink]
    with pytest.warns(
        BatchWarning, match=r"(?s)2 of 4 .*case 1: frame 'deck': its pose or its velocity jumps at t = 1"
    ):
        batch = system.batch(2.0, parameters={"when": whens, "force": [1.0, 2, 3, 4]}, tables={"way": tables})
    assert "jumps at t = 1.5 s" in batch.messages[1] and "jumps at t = 1.25 s" in batch.messages[3]
    alone = system.simulate(2.0, parameters={"when": 8.0, "force": 3.0}, samples=2)
    ends = batch.end("box.displacement")
    np.testing.assert_allclose(ends[2], alone.values("box.displacement")[-1], rtol=1e-6)
    assert np.isfinite(ends[0]) and np.all(np.isnan(ends[[1, 3]]))


@pytest.mark.parametrize("duration", [1e-9, 1e-6, 1e-5, 1e-4])
def test_short_runs_in_smooth_frames_are_not_refused(duration: float) -> None:
    """Their intervals are narrower than those in which jumps are searched."""
    m = tr.Model("ship")
    deck = m.moving_frame("deck", position=lambda s: (0, 0, tr.sin(3 * s.t)))
    m.connect(tr.Prismatic("x"), deck, m.body("cart", 1.0, (1, 1, 1)))
    assert m.build().simulate(duration, {"cart.displacement_rate": 1.0}, samples=2).ok


def test_jumps_in_short_runs_are_reported() -> None:
    m = tr.Model("ship")
    deck = m.moving_frame("deck", position=lambda s: (0, 0, 0.1 * tr.step(s.t - 5e-6)))
    m.connect(tr.Prismatic("x"), deck, m.body("cart", 1.0, (1, 1, 1)))
    with pytest.raises(SolveError, match=r"frame 'deck': its pose or its velocity jumps at t = 5\.?\d*e-06 s"):
        m.build().simulate(1e-5, samples=2)
