"""Springs in place of held turns, of the plane of a planar pair and of prescribed rates."""

from typing import Any

import numpy as np
import pytest

import trundle as tr

SPAN = 0.5
FLOWS: dict[str, Any] = {"slip_x": tr.Flow(lambda t, q: tr.sin(2 * t)), "roll_x": tr.Locked(), "spin": tr.Locked()}
KINDS: dict[str, tuple[Any, Any, dict[str, float]]] = {  # pair, law, softness by bond
    "plane": (tr.PlanarPair(tr.Line(), tr.Circle(0.3)), tr.NoSlip(), {"slip_y": 1.0, "roll_x": 0.1, "spin": 0.2}),
    "turns": (tr.HigherPair(tr.Plane(), tr.Sphere(0.3)), FLOWS, {"slip_x": 1.0, "roll_x": 0.1, "spin": 0.2}),
    "rate": (tr.Revolute("y"), tr.Flow(lambda t, q: tr.sin(t) - q), {"angle": 0.1}),
}


def yielding(kind: str, soft: bool, formalism: str = "kane") -> tr.System:
    """A body that rolls in a plane, is held from turning on a belt, or is driven; with springs of a stiffness that is a
    parameter, or rigid.
    """
    pair, law, scales = KINDS[kind]
    m = tr.Model(kind, gravity=(1.0, 0.4, -9.81))
    k = m.parameter("k", 1e4)
    springs: Any = {bond: tr.Spring(c * k, 2 * c * tr.sqrt(k)) for bond, c in scales.items()}
    body = m.body("body", 2.0, (0.05, 0.06, 0.07), com=(0.02, 0.03, 0.01))
    m.connect(pair, m.ground, body, "joint", law, compliance=springs if soft else None)
    m.apply(tr.Wrench(body, (0, 0, 0), lambda s: (0.3 * tr.sin(2 * s.t), 0, 0.5 * tr.sin(3 * s.t))))
    if kind == "turns" or (kind == "plane" and soft):
        m.start["body.position"] = (0, 0, 0.3)
    return m.build(formalism)


@pytest.mark.parametrize("kind", KINDS)
def test_what_yields_converges_to_what_is_held(kind: str) -> None:
    """The motion is as far from the ideal one as the springs are soft: first order in 1 / stiffness."""
    ideal, system = (yielding(kind, soft) for soft in (False, True))
    held = ideal.simulate(SPAN, rtol=1e-11, atol=1e-12).values("body.com_position")
    errors = []
    for k in (1e4, 1e5, 1e6):
        run = system.simulate(SPAN, parameters={"k": k}, rtol=1e-9, atol=1e-11)
        errors.append(np.max(np.abs(run.values("body.com_position") - held)))
    order = np.diff(np.log10(errors))
    assert np.all((order > -1.2) & (order < -0.8)), errors
    assert system.graph.causality.integral == system.mobility.freedoms == ideal.mobility.freedoms + len(KINDS[kind][2])


DEFLECTIONS = {
    "plane": ("plane_y", "plane_roll_x", "plane_spin"),
    "turns": ("bristle_x", "bristle_roll_x", "bristle_spin"),
    "rate": ("angle_deviation",),
}


@pytest.mark.parametrize("kind", KINDS)
def test_formalisms_agree_and_account_for_the_energy(kind: str) -> None:
    """After a while all deflections are at work."""
    runs = [
        yielding(kind, True, formalism).simulate(SPAN, rtol=1e-11, atol=1e-13)
        for formalism in ("kane", "newton_euler", "udwadia_kalaba")
    ]
    for name in ("body.com_position", *(f"joint.{name}" for name in DEFLECTIONS[kind])):
        one, *others = (run.values(name) for run in runs)
        assert np.max(np.abs(one)) > 1e-6, name
        assert max(np.max(np.abs(one - other)) for other in others) < 1e-9, name
    assert runs[0].energy.drift < 1e-9
    assert runs[0].power.residual.relative < 1e-12
    assert min(runs[0].power[f"joint.{bond}"]["lost_energy"].values[-1] for bond in KINDS[kind][2]) > 1e-9


def test_the_deflection_of_a_belt_is_what_slipped_beside_it() -> None:
    system = yielding("turns", soft=True)
    assert [system.quantity(f"joint.bristle_{name}").unit for name in ("x", "roll_x", "spin")] == ["m", "rad", "rad"]
    found = {s.called: s.element for s in system.graph.seals}
    assert {found[b] for b in ("roll_x", "spin")} == {"C"}
    assert found["slip_x"] == "Se"  # it brings in the power of the drive
    run = system.simulate(SPAN)
    path = np.trapezoid(run.values("joint.slip_x") - np.sin(2 * run.time), run.time)
    assert run.values("joint.bristle_x")[-1] == pytest.approx(path, rel=1e-2)


def test_springs_of_a_plane_are_compliances_of_the_graph() -> None:
    found = {s.called: s.element for s in yielding("plane", soft=True).graph.seals}
    elements = {"slip_x": "FC", "slip_y": "C", "normal": "FC", "roll_x": "C", "roll_y": "EC", "spin": "C"}
    assert {bond: found[bond] for bond in elements} == elements


def test_a_plane_between_circles_yields() -> None:
    """One tilt yields while the rest is held, in a ring: energy and power close where no axis of the contact is one of
    the frames.
    """
    m = tr.Model("ring", gravity=(0.5, 0.2, -9.81))
    disc = m.body("disc", 2.0, (0.05, 0.09, 0.06), com=(0.02, 0.01, 0.01))
    pair = tr.PlanarPair(tr.Circle(1.0, inside=True), tr.Circle(0.3))
    m.connect(pair, m.ground, disc, name="ring", law=tr.NoSlip(), compliance={"roll_x": tr.Spring(50.0, 0.5)})
    m.start["disc.position"] = (0.42, 0, -0.56)
    run = m.build().simulate(1.0, rtol=1e-11, atol=1e-12)
    assert np.max(np.abs(run.values("ring.plane_roll_x"))) > 1e-3
    assert np.max(np.abs(run.values("disc.position")[:, 1])) < 1e-12
    assert run.energy.drift < 1e-9
    assert run.power.residual.relative < 1e-12


def test_a_wheel_that_has_left_its_plane_comes_back() -> None:
    """The plane is a place, not a path: after a push nothing of the deflection is left, though the wheel rolled on."""
    m = tr.Model("wheel")
    wheel = m.body("wheel", 2.0, (0.05, 0.09, 0.05))
    soft = {"slip_y": tr.Spring(1e3, 60.0), "rotation": tr.Spring(20.0, 1.0)}
    pair = tr.PlanarPair(tr.Line(), tr.Circle(0.3))
    m.connect(pair, m.ground, wheel, name="rail", law=tr.NoSlip(), compliance=soft)
    m.apply(tr.Wrench(wheel, (0, 0, 0), lambda s: (0, 0, 2 * tr.exp(-((4 * s.t - 2) ** 2)))))
    start = {"wheel.position": (0, 0, 0.3), "wheel.velocity": (3.0, 0, 0), "wheel.angular_velocity": (0, 10.0, 0)}
    run = m.build().simulate(4.0, start)
    assert np.max(np.abs(run.values("rail.plane_spin"))) > 0.05
    assert abs(run.values("wheel.position")[-1, 1]) < 1e-6
    assert abs(run.values("rail.plane_spin")[-1]) < 1e-6


def table(*stiffness: float) -> tr.System:
    """A table on two balls that must not spin; a moment turns it."""
    m = tr.Model("table")
    top = m.body("table", 4.0, (0.1, 0.5, 0.5))
    names = ("left", "right")
    for i, (name, x) in enumerate(zip(names, (-0.5, 0.5), strict=True)):
        pair, law = tr.HigherPair(tr.Plane(), tr.Sphere(0.1)), {"slip_y": tr.Damper(1.0), "spin": tr.Locked()}
        soft = {"spin": tr.Spring(stiffness[i], 1.0)} if stiffness else None
        m.connect(pair, m.ground, top.at(x, 0, 0), name=name, law=law, compliance=soft)
    m.apply(tr.Wrench(top, (0, 0, 0), (0, 0, 6.0)))
    m.start["table.position"] = (0, 0, 0.1)
    return m.build()


def test_spin_held_twice_is_shared_by_stiffness() -> None:
    assert [r for r in table().mobility.redundant if r.endswith("spin")] == ["right.spin"]
    soft = table(100.0, 200.0)
    assert not soft.mobility.redundant
    found = soft.reactions(soft.equilibrium())
    assert found["left.reaction_moment"][2] == pytest.approx(-2.0, rel=1e-6)
    assert found["right.reaction_moment"][2] == pytest.approx(-4.0, rel=1e-6)


def test_a_plane_held_twice_is_shared_by_stiffness() -> None:
    def guided(joint: Any = None, contact: Any = None) -> tr.System:
        m = tr.Model("guided", gravity=(0, 3.0, -9.81))
        wheel = m.body("wheel", 2.0, (0.05, 0.09, 0.05))
        m.connect(tr.Planar("y"), m.ground, wheel, name="guide", compliance=joint)
        m.connect(tr.PlanarPair(tr.Line(), tr.Circle(0.3)), m.ground, wheel, name="rail", compliance=contact)
        return m.build()

    assert set(guided().mobility.redundant) == {"rail.slip_y", "rail.roll_x", "rail.spin"}
    upright = tr.Spring(50.0)
    soft = guided({"z": tr.Spring(1e3)}, {"slip_y": tr.Spring(2e3), "roll_x": upright, "spin": upright})
    assert not soft.mobility.redundant
    found = soft.reactions(soft.equilibrium())
    assert found["guide.reaction_force"][1] == pytest.approx(-2.0, rel=1e-6)
    assert found["rail.reaction_force"][1] == pytest.approx(-4.0, rel=1e-6)


def joined(pair: Any, law: Any, compliance: Any) -> tr.Model:
    m = tr.Model("joined")
    m.connect(pair, m.ground, m.body("body", 1.0, 0.1), name="joint", law=law, compliance=compliance)
    return m


BALL = tr.HigherPair(tr.Plane(), tr.Sphere(0.2))
REFUSED: dict[str, tuple[Any, Any, Any, str]] = {
    "an acceleration": (
        tr.Revolute("z"),
        tr.Acceleration(1.0),
        {"angle": 5.0},
        "prescribes neither a position nor a rate",
    ),
    "a free spin": (BALL, tr.NoSlip(), {"spin": 5.0}, "'spin', but .* can be replaced: normal.*slip_x, slip_y"),
    "friction": (BALL, tr.Coulomb(0.3), {"slip_x": 5.0}, "'slip_x', but a HigherPair does not constrain this bond"),
    "a law that pushes": (BALL, tr.NoSpin(), {"spin": tr.Hertz(1e5)}, "Hertz is for the normal.*on 'spin'"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_yield_is_reported(case: str) -> None:
    pair, law, compliance, text = REFUSED[case]
    with pytest.raises(tr.TrundleError, match=text):
        joined(pair, law, compliance)


def test_a_lock_on_a_coordinate_yields_and_a_yielding_rate_has_no_equilibrium() -> None:
    locked = joined(tr.Revolute("z"), tr.Locked(), {"angle": 50.0})
    assert locked.connections["joint"].laws == {"angle": tr.Spring(50.0)}
    with pytest.raises(tr.TrundleError, match=r"rate of joint\.angle is prescribed and yields"):
        joined(tr.Revolute("z"), tr.Flow(1.0), {"angle": 50.0}).build().equilibrium()
