"""Painleve's paradox among several contacts: reported by name wherever it occurs, as for one contact."""

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
import random_starts as thrown

import trundle as tr
from trundle.errors import SolveError
from trundle.integrate.outcome import EVENT_STOP
from trundle.run.ending import at_limit, jammed_at


@cache
def rods(count: int) -> tr.System:
    """Thin rods whose two ends may touch a floor, which is `later` as rough from 0.02 s on."""
    m = tr.Model(f"{count} rods")
    mu, later = m.parameter("mu", 1.6), m.parameter("later", 1.6)
    for k in range(count):
        rod = m.body(f"rod{k}", 1.0, 1 / 12)
        m.connect(tr.Planar("y"), m.ground, rod, name=f"pose{k}")
        for name, x in ((f"a{k}", -0.5), (f"b{k}", 0.5)):
            pair = tr.PlanarPair(tr.Line(), tr.Vertex())
            m.connect(pair, m.ground, rod.at(x, 0, 0), name=name, law=tr.Coulomb(mu), unilateral=True)
    m.event("roughens", lambda s: s.t - 0.02, action={"mu": lambda s: later})
    return m.build()


def leaning(angle: float, speed: float, turning: float = 0.0, count: int = 1) -> dict[str, Any]:
    """Rods beside each other, their first ends on the floor with this speed, and turning about them."""
    c, s = np.cos(angle) / 2, np.sin(angle) / 2
    start: dict[str, Any] = {}
    for k in range(count):
        start[f"rod{k}.position"], start[f"rod{k}.velocity"] = (5 * k + c, 0, s), (speed - turning * s, 0, turning * c)
        start |= {f"pose{k}.angle": -angle, f"pose{k}.angle_rate": -turning}
    return start


def unique(angle: float, mu: float) -> float:
    """Above zero while the end that is drawn behind has one acceleration [Painleve]."""
    return 1 + 3 * np.cos(angle) * (np.cos(angle) - mu * np.sin(angle))


@pytest.mark.parametrize("count", [1, 2])
def test_a_start_in_the_paradox_is_refused(count: int) -> None:
    """Of two rods too, whose determinants have a positive product."""
    assert unique(1.0, 2.0) < 0
    with pytest.raises(SolveError, match=r"no unique acceleration.*Painleve.*compliant"):
        rods(count).simulate(0.1, leaning(1.0, -2.0, count=count), {"mu": 2.0, "later": 2.0})


@pytest.mark.parametrize("count", [1, 2])
def test_a_run_ends_at_the_paradox(count: int) -> None:
    """Two rods reach it together, where the product of their determinants touches zero."""
    start = leaning(0.5, -10.0, 3.0, count)
    run = rods(count).simulate(2.0, start)
    batch = rods(count).batch(2.0, {**start, "pose0.angle": [start["pose0.angle"]] * 2})
    assert batch.outcomes == ["JAMMED"] * 2 and "'a0'" in batch.messages[0] and "Painleve" in batch.messages[0]
    assert run.outcome.startswith("JAMMED: Friction at contact 'a0'") and not run.ok
    assert {name for name, _ in run.events[1:]} == {f"a{k} jams" for k in range(count)}
    assert 0 < unique(-run.values("pose0.angle")[-1].item(), 1.6) < 1e-4


def test_a_run_that_jams_inside_its_last_step_has_not_stopped_as_wanted() -> None:
    """Where its end is not singular any more: once that was an ordinary stop, which is a success."""
    start = leaning(0.5, -10.0, 3.0)
    run = rods(1).simulate(2.0, start)
    before = replace(run.trajectory, outcome=EVENT_STOP, x_end=run.trajectory.x[0])
    formulation = rods(1).formulation
    assert jammed_at(formulation, 0.0, before.x_end, before.p_end) is None
    ending = at_limit(formulation, before, before.p_end).outcome
    assert ending.name == "JAMMED" and not ending.ok and "contact 'a0' left no unique acceleration" in str(ending)


def test_a_jump_into_the_paradox_is_reported() -> None:
    """The floor becomes rough at once: nothing crosses zero."""
    run = rods(1).simulate(0.1, leaning(1.0, -2.0), {"mu": 0.3, "later": 2.0})
    assert run.events == [("roughens", pytest.approx(0.02)), ("a0 jams", pytest.approx(0.02))]
    assert "Painleve" in run.outcome


def test_a_rough_floor_is_no_paradox_for_an_end_that_is_pushed_ahead() -> None:
    run = rods(1).simulate(0.1, leaning(1.0, 2.0), {"mu": 2.0, "later": 2.0})
    assert run.ok and run.energy.drift < 1e-8


# -- bodies that are coupled -------------------------------------------------------------------------------------------


@cache
def rods_on_a_plate(unilateral: bool) -> tr.System:
    """Two rods drawn over a plate that they both move, so that each influences the other."""
    m = tr.Model("two rods on a plate")
    mu, later = m.parameter("mu", 1.6), m.parameter("later", 1.6)
    plate = m.body("plate", 10.0, 1.0)
    m.connect(tr.Prismatic("x"), m.ground, plate, name="way")
    for k in range(2):
        rod = m.body(f"rod{k}", 1.0, 1 / 12)
        m.connect(tr.Planar("y"), m.ground, rod, name=f"pose{k}")
        pair = tr.PlanarPair(tr.Line(), tr.Vertex())
        m.connect(pair, plate, rod.at(-0.5, 0, 0), name=f"a{k}", law=tr.Coulomb(mu), unilateral=unilateral)
    m.event("roughens", lambda s: s.t - 0.02, action={"mu": lambda s: later})
    return m.build()


@pytest.mark.parametrize("unilateral", [True, False], ids=["may open", "stays closed"])
def test_coupled_rods_that_reach_the_paradox_at_the_same_time(unilateral: bool) -> None:
    """They come to it, jump into it, and start in it: two factors of one determinant are below zero together."""
    system = rods_on_a_plate(unilateral)
    run = system.simulate(2.0, leaning(0.5, -10.0, 3.0, 2))
    assert "Painleve" in run.outcome and run.events[-1][0] in ("a0 jams", "a1 jams")
    jumped = system.simulate(0.1, leaning(1.0, -2.0, count=2), {"mu": 0.3, "later": 2.0})
    assert "Painleve" in jumped.outcome
    assert jumped.events == [("roughens", pytest.approx(0.02)), ("a0 jams", pytest.approx(0.02))]
    with pytest.raises(SolveError, match="Painleve"):
        system.simulate(0.1, leaning(1.0, -2.0, count=2), {"mu": 2.0})


def test_joints_do_not_make_a_paradox() -> None:
    """Two rods hinged to each other, one of them sliding on a floor: whether the acceleration is unique does not depend
    on the coordinates, nor on how many constraints there are beside the contact.
    """
    m = tr.Model("two rods")
    names = ("m1", "m2", "x1", "z1", "x2", "z2", "hx", "hz", "cx", "cz")
    m1, m2, x1, z1, x2, z2, hx, hz, cx, cz = (m.parameter(name, 0.5) for name in names)
    first = m.body("first", mass=m1, inertia=0.02, com=(x1, 0, z1))
    second = m.body("second", mass=m2, inertia=0.02, com=(x2, 0, z2))
    m.connect(tr.Planar("y"), m.ground, first, name="pose")
    m.connect(tr.Revolute("y"), first.at(hx, 0, hz), second, name="hinge")
    ball = second.at(cx, 0, cz)
    m.connect(tr.HigherPair(tr.Plane(), tr.Sphere(0.1)), m.ground, ball, law=tr.RegularisedCoulomb(0.6, 0.05))
    in_joints = m.build()
    absolute, rng, jammed = in_joints.in_formalism("newton_euler"), np.random.default_rng(1), 0
    for _ in range(60):
        sizes = dict(zip(names, map(float, [*np.exp(rng.normal(size=2)), *0.5 * rng.normal(size=8)]), strict=True))
        state = dict(
            zip(("pose.angle", "hinge.angle", "pose.x_rate", "hinge.angle_rate"), rng.normal(size=4), strict=True)
        )
        told = []
        for system in (in_joints, absolute):
            try:
                system.accelerations(state, sizes)
            except SolveError as error:
                assert "Painleve" in str(error)
                told.append(system.formalism)
        assert len(told) in (0, 2), (told, sizes, state)
        jammed += len(told) // 2
    assert jammed > 0


def determinant(run: tr.Run, k: int, mu: float, side: float) -> float:
    """Of the two balls with a joint, the first sliding and the second sticking, by their own equations of motion: that
    of the inverse masses of all that is held, over that without friction. The first presses (1) or pulls (-1).
    """
    shape, inverse, rows = thrown.SHAPES["ball"], np.zeros((12, 12)), np.zeros((7, 12))
    for i, (body, end) in enumerate((("first", 1.0), ("second", -1.0))):
        R = run.values(f"{body}.rotation")[k].reshape(3, 3).T
        v, w = slice(6 * i, 6 * i + 3), slice(6 * i + 3, 6 * i + 6)
        inverse[v, v], inverse[w, w] = np.eye(3) / shape.mass, np.linalg.inv(R @ np.diag(shape.inertia) @ R.T)
        rows[:3, v], rows[:3, w] = end * np.eye(3), np.cross(end * R @ thrown.LINK, end * np.eye(3))
        arm = R @ np.array(shape.centre) - shape.tube * thrown.UP
        for row, axis in ((3 + i, thrown.UP), *(((5, np.eye(3)[0]), (6, np.eye(3)[1])) if i else ())):
            rows[row, v], rows[row, w] = axis, np.cross(arm, axis)
        if i == 0:
            slip = (run.values("first.velocity")[k] + np.cross(run.values("first.angular_velocity")[k], arm))[:2]
            force = np.array([*(-mu * side * slip / np.linalg.norm(slip)), 1.0])
            pushed = np.concatenate([force, np.cross(arm, force), np.zeros(6)])
    columns = rows.copy()
    columns[3] = pushed
    return float(np.linalg.det(rows @ inverse @ columns.T) / np.linalg.det(rows @ inverse @ rows.T))


@pytest.mark.slow
def test_two_balls_with_a_joint_jam_as_their_own_equations_predict() -> None:
    """A contact that can also pull: while it presses all is well, but a second motion begins, in which it pulls."""
    system, start, mu = thrown.system("pair"), thrown.start("pair", 88028), {"mu": 0.8, "mu_k": 0.8}
    end = system.simulate(1.0, start, mu)
    assert end.outcome.startswith("JAMMED: Friction at contact 'front'")
    jam = float(end.time[-1])
    run = system.simulate(jam, start, mu, samples=[jam - 2e-3, jam - 1e-3, jam - 1e-5])
    presses, pulls = ([determinant(run, k, 0.8, side) for k in range(3)] for side in (1.0, -1.0))
    assert min(presses) > 1.9 and pulls[0] > pulls[1] > pulls[2] > 0.0
    root = run.time[1] + pulls[1] * (run.time[2] - run.time[1]) / (pulls[1] - pulls[2])
    assert root == pytest.approx(jam, abs=2e-6)
