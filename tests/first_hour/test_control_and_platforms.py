"""Mistakes of newcomers who built a Furuta pendulum, a Stewart platform, a motorcycle and a ball on a beam."""

from pathlib import Path

import numpy as np
import pytest

import trundle as tr


def swinging() -> tr.System:
    m = tr.Model("pendulum")
    bob = m.body("bob", mass=1.0, inertia=1.0, com=(0, 0, -1))
    m.connect(tr.Revolute("y"), m.ground, bob, law=tr.Damper(0.1))
    return m.build()


def test_eigenvalues_print_as_a_table() -> None:
    table = swinging().linearise().table()
    head, first, second = str(table).splitlines()
    assert head.split() == ["real", "(1/s)", "imaginary", "(1/s)", "frequency", "(Hz)", "damping"]
    w = np.sqrt(9.81 / 2 - 0.025**2)  # of 2 a + 0.1 u + 9.81 q = 0
    for line, sign in ((first, -1), (second, 1)):
        numbers = [float(cell) for cell in line.split()]
        assert numbers == pytest.approx([-0.025, sign * w, w / (2 * np.pi), 0.025 / np.sqrt(9.81 / 2)], rel=1e-5)
    assert table[1]["imaginary"] == pytest.approx(w) and len(table) == 2  # still a list of mappings


@pytest.mark.parametrize(
    ("axis", "said"),
    [
        ("z", "(c.x, c.y, c.angle)"),
        ("x", "(c.x along y, c.y along z, c.angle)"),
        ("y", "(c.x along z, c.y along x, c.angle)"),
        ("-y", None),
        ((1, 2, -1), None),
    ],
)
def test_the_axes_of_a_planar_joint_are_those_along_which_it_slides(axis: str, said: str | None) -> None:
    """As `describe` lists them, and as the body moves."""
    m = tr.Model("plate")
    m.connect(tr.Planar(axis), m.ground, m.body("c", mass=1.0, inertia=1.0))
    system = m.build()
    if said is not None:
        assert said in system.describe()
    for name in "xy":
        told = tr.Planar(axis).slide_axis(name) or name
        numbers = [float(one) for one in told.strip("()").split(",")] if "," in told else np.eye(3)["xyz".index(told)]
        run = system.simulate(0.1, {f"c.{name}": 0.5}, samples=2)
        np.testing.assert_allclose(run.values("c.position")[0], 0.5 * np.array(numbers), atol=1e-3)


def test_for_an_unknown_name_those_of_its_body_are_suggested() -> None:
    m = tr.Model("platform")
    top = m.body("top", mass=1.0, inertia=1.0)
    for i in range(4):
        leg = m.body(f"leg{i}", mass=0.1, inertia=0.01)
        m.connect(tr.Universal("x"), m.ground.at(i, 0, 0), leg)
        m.connect(tr.Spherical(), leg.at(0, 0, 1), top.at(i, 0, 0))
    m.start["top.z"] = 1.0
    with pytest.raises(tr.TrundleError, match=r"'top\.z'\. (Known: top\.|Did you mean 'top\.)"):
        m.build()


def test_a_run_of_too_many_steps_names_what_is_fast() -> None:
    run = swinging().simulate(50.0, {"bob.angle_rate": 700.0}, steps=tr.Steps(most=20))
    assert "TOO_MANY_STEPS" in run.outcome and "The fastest there is bob.angle_rate, with 698 rad/s" in run.outcome
    for formalism in ("newton_euler", "udwadia_kalaba"):
        other = swinging().simulate(50.0, {"bob.angle_rate": 700.0}, steps=tr.Steps(most=20), formalism=formalism)
        assert "The fastest there is bob.angle_rate" in other.outcome


@pytest.mark.parametrize("formalism", ["kane", "newton_euler"])
def test_a_ball_joint_alone_has_pictures_and_tables(formalism: str, tmp_path: Path) -> None:
    """Its orientation is no number and, in absolute coordinates, not measured."""
    m = tr.Model("ball joint")
    m.connect(tr.Spherical(), m.ground, m.body("bob", mass=1.0, com=(0, 0, -1), inertia=0.1))
    m.start = {"bob.angular_velocity": (1.0, 0.2, 0.3)}
    system = m.build(formalism)
    assert system.simulate(10.0, steps=tr.Steps(most=20)).outcome.startswith("TOO_MANY_STEPS")
    run = system.simulate(0.1)
    run.save(tmp_path / "run.nc")
    for one in (run, tr.load(tmp_path / "run.nc")):
        assert len(one.plot().axes) == 1
    starts = {"bob.angular_velocity": [(1.0, 0.0, 0.0), (2.0, 0.0, 0.0)]}
    for options in ({}, {"samples": 3}):
        batch = system.batch(0.1, starts, **options)
        assert len(batch.plot().axes) > 0 and batch.to_pandas().shape[0] > 1
    swept = tr.sweep(system, tr.grid({"bob.angular_velocity_x": [1.0, 2.0]}), 0.1, progress=False)
    assert len(swept.data_vars) > 0


def test_a_parameter_among_the_start_values_is_told() -> None:
    m = tr.Model("pendulum")
    m.connect(tr.Revolute("y"), m.ground, m.body("bob", mass=m.parameter("M", 1.0), com=(0, 0, -1)))
    with pytest.raises(tr.TrundleError, match=r"'M' is a parameter, not a start value: give it as parameters="):
        m.build().batch(1.0, {"M": [1.0, 2.0]})
