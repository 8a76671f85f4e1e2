"""Bonds of one contact and its modes as expressions, against numbers worked out by hand; nothing is compiled.

A solid ball of 2 kg and 0.3 m on a level plane: at its lowest point the slip is (vx - r wy, vy + r wx).
"""

from typing import Any

import casadi as ca
import numpy as np
import pytest

import trundle as tr
from trundle.contact.modes.expressions import ModeExpressions
from trundle.contact.modes.find import transitions
from trundle.equations.derive import Equations, derive
from trundle.equations.kernels import Functions
from trundle.graph import find_topology
from trundle.model.floating import floating

MASS, RADIUS, MU, G = 2.0, 0.3, 0.4, 9.81
SPEEDS = {"v": (1.0, 2.0, 0.5), "w": (3.0, -4.0, 5.0)}
SLIP = np.array([1.0 + 0.3 * 4.0, 2.0 + 0.3 * 3.0])  # m/s


def ball(push: float = 0.0, **options: Any) -> tr.Model:
    """The ball, with a push (N) along x at its centre."""
    m = tr.Model("ball", gravity=(0, 0, -G))
    body = m.body("ball", MASS, (0.4 * MASS * RADIUS**2,) * 3)
    m.connect(tr.HigherPair(tr.Plane(), tr.Sphere(RADIUS)), m.ground, body, name="floor", **options)
    if push:
        m.apply(tr.Wrench(body, force=(push, 0, 0)), name="push")
    return floating(m)


def equations(model: tr.Model) -> Equations:
    return derive(model, find_topology(model, {}), "kane")


def numbers(e: Equations, value: Any, gap: float = 0.0, v: Any = (0, 0, 0), w: Any = (0, 0, 0), **modes: float) -> Any:
    """An expression with the ball at this gap, moving with v and w (body axes are ground axes)."""
    states = {"closed": 1.0, "stick": 1.0, "ahead_x": 1.0, "ahead_y": 0.0, "slow": 0.0} | modes
    p = [states[mode.state] for mode in e.parameters.modes]
    f = ca.Function("f", [e.t, e.q, e.u, e.p], [ca.densify(ca.SX(value))])
    return np.array(f(0, [0, 0, RADIUS + gap, 1, 0, 0, 0], [*v, *w], [*p, 1.0, 1.0, 1.0, 1e-12])).ravel()


def named(e: Equations, p: Any) -> dict[str, float]:
    """The modes in p by name."""
    return {mode.state: float(p[e.parameters.mode("floor", mode.state)]) for mode in e.parameters.modes}


COULOMB = {"law": tr.Coulomb(MU), "unilateral": True}


def test_gap_and_relative_velocities() -> None:
    e = equations(ball(**COULOMB))
    bonds = e.contact_bonds["floor"]
    assert numbers(e, bonds.contact.gap, gap=0.05) == pytest.approx([0.05], abs=1e-15)
    rates = ca.vertcat(*[bonds.rate(n) for n in ("slip_x", "slip_y", "normal", "spin")])
    np.testing.assert_allclose(numbers(e, rates, **SPEEDS), [*SLIP, 0.5, 5.0], rtol=1e-14)


def test_rows_of_a_contact() -> None:
    """What holds the slip pushes the centre and, over the radius, turns the ball."""
    e = equations(ball(**COULOMB))
    by_bond = {row.bond: row for row in e.contact_bonds["floor"].rows(e.t)}
    assert set(by_bond) == {"normal", "slip_x", "slip_y"}
    expected = {
        "normal": [0, 0, 1, 0, 0, 0],
        "slip_x": [1, 0, 0, 0, -RADIUS, 0],
        "slip_y": [0, 1, 0, RADIUS, 0, 0],
    }
    for bond, row in by_bond.items():
        jacobian = ca.vertcat(*[row.jacobian.get(i, ca.SX(0)) for i in range(6)])
        np.testing.assert_allclose(numbers(e, jacobian), expected[bond], atol=1e-15)
        assert numbers(e, row.rate, **SPEEDS) == pytest.approx([expected[bond] @ np.array([1, 2, 0.5, 3, -4, 5])])
        assert numbers(e, row.active, closed=1, stick=0) == [1.0 if bond == "normal" else 0.0]
    assert numbers(e, by_bond["normal"].residual, gap=0.02) == pytest.approx([0.02])
    assert by_bond["slip_x"].level == "velocity"


def test_normal_force_brings_friction_against_the_slip() -> None:
    e = equations(ball(**COULOMB))
    normal = next(row for row in e.contact_bonds["floor"].rows(e.t) if row.bond == "normal")
    d = SLIP / np.linalg.norm(SLIP)
    column = ca.vertcat(*[normal.column.get(i, ca.SX(0)) for i in range(6)])
    expected = np.array([-MU * d[0], -MU * d[1], 1, -MU * d[1] * RADIUS, MU * d[0] * RADIUS, 0])
    at = {**SPEEDS, "stick": 0, "ahead_x": d[0], "ahead_y": d[1]}
    np.testing.assert_allclose(numbers(e, column, **at), expected, rtol=1e-12, atol=1e-14)
    assert numbers(e, normal.lost, **at) == pytest.approx([MU * np.linalg.norm(SLIP)])
    np.testing.assert_allclose(numbers(e, column, **{**at, "stick": 1}), [0, 0, 1, 0, 0, 0], atol=1e-15)


def test_spring_normal_brings_friction_as_well() -> None:
    """1 mm deep in a spring of 1e5 N/m: 100 N, and mu tanh(v / v0) of it against the slip, in the plane."""
    law = tr.RegularisedCoulomb(MU, v0=1e-3)
    e = equations(ball(law=law, compliance={"z": tr.LinearContact(1e5)}))
    efforts = e.contact_efforts["floor"]
    at = {"gap": -1e-3, "v": (1.0, 0, 0)}
    assert numbers(e, efforts["normal"], **at) == pytest.approx([100.0])
    assert numbers(e, efforts["slip_x"], **at) == pytest.approx([-40.0])
    assert numbers(e, efforts["slip_y"], **at) == pytest.approx([0.0], abs=1e-12)
    assert numbers(e, e.terms["floor.normal"].potential, **at) == pytest.approx([1e5 * 1e-6 / 2])
    assert numbers(e, e.terms["floor.normal"].dissipated, **at) == pytest.approx([40.0])
    ((_, point, F, M),) = e.loads[e.model.bodies["ball"]]
    np.testing.assert_allclose(numbers(e, F, **at), [-40, 0, 100], atol=1e-10)
    np.testing.assert_allclose(numbers(e, M, **at), [0, 40 * (RADIUS - 1e-3), 0], atol=1e-10)
    np.testing.assert_allclose(numbers(e, point, **at), [0, 0, RADIUS - 1e-3], atol=1e-15)


def modes(e: Equations) -> tuple[ModeExpressions, list[str]]:
    functions = Functions(e, [*e.rows, *e.switched], 1.0)
    return ModeExpressions(functions), [t.kind for t in transitions(e.model)]


def test_what_is_watched_while_the_ball_rolls() -> None:
    """A push P at the centre needs 2/7 P of friction to roll: margin (mu g)^2 - (2 P / 7 m)^2, over their sum."""
    e = equations(ball(push=7.0, **COULOMB))
    at, kinds = modes(e)
    values = dict(zip(kinds, numbers(e, ca.vertcat(*at.values())), strict=True))
    grip = 2.0 / MASS
    assert values["slips"] == pytest.approx(((MU * G) ** 2 - grip**2) / ((MU * G) ** 2 + grip**2), rel=1e-9)
    assert values["parts"] == pytest.approx(G, rel=1e-9)
    assert (values["stops"], values["lands"]) == (1, 1)
    torn = dict(zip(kinds, numbers(e, ca.vertcat(*at.values()), closed=0, stick=0, gap=0.02), strict=True))
    assert torn["lands"] == pytest.approx(0.02)
    assert (torn["slips"], torn["parts"]) == (1, 1)


def test_sliding_begins_against_the_force_that_held() -> None:
    e = equations(ball(push=70.0, **COULOMB))
    at, kinds = modes(e)
    assert dict(zip(kinds, numbers(e, ca.vertcat(*at.values())), strict=True))["slips"] < 0
    after = named(e, numbers(e, at.jumps()[kinds.index("slips")]))
    assert after == pytest.approx({"stick": 0, "ahead_x": 1, "ahead_y": 0, "slow": 1, "closed": 1}, abs=1e-12)


def test_sliding_that_ends_sticks_where_friction_suffices() -> None:
    for push, sticks in ((7.0, 1), (70.0, 0)):  # 2 N and 20 N are needed, mu m g = 7.8 N is there
        e = equations(ball(push=push, **COULOMB))
        at, kinds = modes(e)
        after = named(e, numbers(e, at.jumps()[kinds.index("stops")], stick=0))
        assert after["stick"] == sticks


def test_modes_at_the_start() -> None:
    """At rest it sticks; with a slip it slides along it; above the floor it is open."""
    e = equations(ball(**COULOMB))
    start = modes(e)[0].start()
    assert named(e, numbers(e, start))["stick"] == 1
    d = SLIP / np.linalg.norm(SLIP)
    moving = named(e, numbers(e, start, v=(1.0, 2.0, 0), w=SPEEDS["w"]))
    assert moving == pytest.approx({"closed": 1, "stick": 0, "ahead_x": d[0], "ahead_y": d[1], "slow": 0}, abs=1e-12)
    assert named(e, numbers(e, start, gap=0.01))["closed"] == 0


def test_a_ball_that_is_lifted_opens_at_the_start() -> None:
    m = tr.Model("lifted", gravity=(0, 0, G))
    body = m.body("ball", MASS, (0.4 * MASS * RADIUS**2,) * 3)
    m.connect(tr.HigherPair(tr.Plane(), tr.Sphere(RADIUS)), m.ground, body, name="floor", **COULOMB)
    e = equations(floating(m))
    assert named(e, numbers(e, modes(e)[0].start()))["closed"] == 0
