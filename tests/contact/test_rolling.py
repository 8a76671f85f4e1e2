"""Slip, spin and rolling without slip against closed forms."""

import numpy as np
import pytest

import trundle as tr

G = 9.81


def disc(law: object = None) -> tr.Model:
    m = tr.Model("disc")
    body = m.body("disc", mass=2.0, inertia=(0.125, 0.25, 0.125))
    m.connect(tr.HigherPair(tr.Plane(), tr.CircleEdge(0.5)), m.ground, body, law=law)
    return m


def test_slip_and_spin_by_the_sum_over_the_chain() -> None:
    """[Meijaard 2024], Eqs. 24 and 25, screw by screw in numbers, against the quantities of the model."""
    import casadi as ca

    pair = tr.HigherPair(tr.Torus(1.0, 0.2), tr.SpiralColumn(1.0, 0.4, 0.3))
    m = tr.Model("pair")
    body = m.body("body", 1.0, (0.1, 0.2, 0.3))
    m.connect(pair, m.ground, body)
    q, u = np.array([0.2, -0.3, 0.5, 0.1, 0.4]), np.array([1.0, 0.3, -0.6, 0.8, -0.2])
    names = [s.name for s in pair.chain().steps]
    state = {f"body.{n}": v for n, v in zip(names, q, strict=True)}
    state |= {f"body.{n}_rate": v for n, v in zip(names, u, strict=True)}
    run = m.build().simulate(1e-9, state, samples=2)
    point, normal = run.values("body.contact_point")[0], run.values("body.contact_normal")[0]
    R, p, slip, spin = np.eye(3), np.zeros(3), np.zeros(3), 0.0
    for step, angle, rate in zip(pair.chain().steps, q, u, strict=True):
        axis = R @ np.asarray(step.axis if not isinstance(step.axis, str) else np.eye(3)["xyz".index(step.axis)])
        at = R @ np.array(step.at) + p
        slip = slip + rate * (np.cross(axis, point - at) + step.pitch * axis)
        spin += rate * float(axis @ normal)
        R_step, p_step = (np.array(ca.DM(v)) for v in step.pose(ca.SX(angle)))
        R, p = R @ R_step, p + R @ p_step.ravel()
    found = [run.values(f"body.{name}")[0] for name in ("slip_x", "slip_y", "spin")]
    assert np.hypot(*found[:2]) == pytest.approx(np.linalg.norm(slip), rel=1e-12)
    assert slip @ normal == pytest.approx(0.0, abs=1e-12)
    assert found[2] == pytest.approx(spin, rel=1e-12)


def test_disc_upright_is_stable_above_the_known_speed() -> None:
    """Rolling upright a disc does not fall when pitch_rate^2 > g m r I / (C (C + m r^2))."""
    mass, r, I, C = 2.0, 0.5, 0.125, 0.25
    limit = np.sqrt(G * mass * r * I / (C * (C + mass * r**2)))
    system = disc(tr.NoSlip()).build()
    for factor, stable in ((1.01, True), (0.99, False)):
        linear = system.linearise({"disc.pitch_rate": factor * limit})
        assert linear.steady
        assert (np.max(linear.eigenvalues.real) < 1e-6) == stable


def test_no_spin_takes_one_more_freedom() -> None:
    assert disc(tr.NoSlip()).build().mobility.freedoms == 3
    both = disc([tr.NoSlip(), tr.NoSpin()]).build()
    assert both.mobility.freedoms == 2 and both.mobility.configuration == 5
    run = both.simulate(1.0, {"disc.roll": 0.2, "disc.pitch_rate": 5.0})
    assert np.max(np.abs(run.values("disc.spin"))) < 1e-12
    assert np.max(np.abs(run.energy.imbalance)) < 1e-9


def test_stiff_method_keeps_the_contact() -> None:
    """Contacts that close loops have no Newton step in the stiff method; their coordinates stay exact all the same."""
    pair = tr.HigherPair(tr.Torus(1.0, 0.2), tr.Cylinder(1.0))
    m = tr.Model("stiff")
    body = m.body("body", 1.0, (0.3, 0.25, 0.2))
    m.connect(pair, m.ground, body)
    state = {"body.pitch": 0.1, "body.roll": 0.2, "body.yaw": 0.6, "body.slide_rate": 0.3, "body.angle_rate": 0.5}
    tree = m.build().simulate(0.8, state, rtol=1e-11, atol=1e-11)
    loop = m.build("newton_euler").simulate(0.8, state, method="stiff", rtol=1e-8, atol=1e-8)
    assert loop.values("body.contact_point") == pytest.approx(tree.values("body.contact_point"), abs=1e-6)


@pytest.mark.parametrize("law", [tr.NoSlip(), [tr.NoSpin()]])
def test_a_law_of_contact_needs_a_contact(law: object) -> None:
    m = tr.Model("hinge")
    body = m.body("body", 1.0, (1, 1, 1))
    with pytest.raises(tr.errors.ModelError, match="has none"):
        m.connect(tr.Revolute("y"), m.ground, body, law=law)
