"""Connections by their seals: any six laws give the same motion in both formalisms; prescribed flows follow closed
forms; springs in place of constraints converge to the ideal joint.
"""

from typing import Any

import numpy as np
import pytest

import trundle as tr
from trundle.pairs import lower_pairs
from trundle.pairs.lower import BONDS


def swinging(joint: Any, law: Any = None, compliance: Any = None) -> tr.Model:
    """A body that hangs from a ball joint, and another one joined to it."""
    m = tr.Model("swinging")
    a = m.body("a", 1.5, (0.1, 0.2, 0.15), com=(0.1, 0, 0.05))
    b = m.body("b", 1.0, (0.05, 0.06, 0.07), com=(0, 0.1, 0.1))
    m.connect(tr.Spherical(), m.ground.frame((0, 0, 2.0)), a.frame((0.3, 0.3, 0.3)), name="hang")
    ends = a.frame((0.2, 0.1, 0), ("x", 0.4)), b.frame((0, -0.1, 0.3), ((1, 1, 0), 0.3))
    m.connect(joint, *ends, name="joint", law=law, compliance=compliance)
    return m


def start_of(system: tr.System, rng: np.random.Generator) -> dict[str, Any]:
    """A random state of all coordinates."""
    start: dict[str, Any] = {"hang.quaternion": (0.9, 0.1, 0.2, 0.3), "hang.angular_rate": (0.5, -0.3, 0.8)}
    for c in system.formulation.layout.coordinates:
        if c.name.startswith("joint."):
            start[c.name] = 0.2 * rng.normal() if c.n_u == 1 else (0.95, 0.1, -0.1, 0.05)
            start[c.rate_name] = 0.3 * rng.normal(size=c.n_u) if c.n_u > 1 else 0.3 * rng.normal()
    return start


def assert_formalisms_agree(first: tr.System, second: tr.System, start: dict[str, Any]) -> None:
    kane, absolute = first.accelerations(start), second.accelerations(start)
    for name in absolute:
        if name in kane:
            scale = 1 + np.max(np.abs(kane[name]))
            assert np.max(np.abs(np.array(kane[name]) - absolute[name])) < 1e-9 * scale, name


def random_seals(rng: np.random.Generator) -> dict[str, Any]:
    kinds = [
        lambda turns: tr.Locked(),
        lambda turns: tr.Open(),
        lambda turns: tr.Spring(3.0 if turns else 20.0, 0.3),
        lambda turns: tr.Damper(0.5),
        lambda turns: tr.Servo(lambda t: 0.1 * tr.sin(t)),
        lambda turns: tr.Flow(lambda t, q: 0.2 * tr.cos(t) - q),
        lambda turns: tr.Acceleration(lambda t, q, u: -2 * q - 0.3 * u + t),
    ]
    return {bond: kinds[rng.integers(len(kinds))](bond in BONDS[3:]) for bond in BONDS}


@pytest.mark.parametrize("seed", range(10))
def test_any_six_seals_agree_in_both_formalisms(seed: int) -> None:
    rng = np.random.default_rng(seed)
    seals = random_seals(rng)
    m = swinging(tr.Connection(**seals))
    kane = m.build()
    absolute = kane.in_formalism("newton_euler")
    start = start_of(kane, rng)
    assert_formalisms_agree(kane, absolute, start)
    if seed < 4:
        one, other = (system.simulate(0.5, start=start) for system in (kane, absolute))
        assert np.max(np.abs(one.values("b.position") - other.values("b.position"))) < 1e-8
        assert one.energy.drift < 1e-8


@pytest.mark.parametrize("pair", [p for p in lower_pairs(of_user=False) if p().locked], ids=lambda p: p.__name__)
def test_every_pair_can_yield(pair: type[Any]) -> None:
    joint = tr.Helical("z", pitch=0.3) if pair is tr.Helical else pair()
    compliance = {"translation": tr.Spring(50.0, 1.0), "rotation": tr.Spring(8.0, 0.2)}
    held = [b for b in joint.locked if b in "xyz"], [b for b in joint.locked if b not in "xyz"]
    m = swinging(
        joint, compliance={k: v for k, v in zip(compliance, compliance.values(), strict=True) if held[k == "rotation"]}
    )
    system = m.build()
    assert system.mobility.freedoms == 9
    start = start_of(system, np.random.default_rng(5))
    assert_formalisms_agree(system, system.in_formalism("newton_euler"), start)
    run = system.simulate(0.6, start=start)  # the universal joint turns past a quarter
    assert run.ok, run.outcome
    assert run.energy.drift < 1e-9
    if pair is tr.Universal:
        assert np.min(run.values("joint.cross_angle")) < -2.0 < -0.5 < np.min(run.values("joint.ry"))


OPEN_TURNS = {"rx": tr.Open(), "rz": tr.Open()}


@pytest.mark.parametrize(
    ("joint", "turns"),
    [
        (tr.Universal(), ("angle", "cross_angle")),
        (tr.Connection(**(dict.fromkeys(BONDS, tr.Locked()) | OPEN_TURNS)), ("rz", "rx")),
    ],
    ids=["universal", "by seals"],
)
def test_a_universal_joint_yields_alike_at_any_angle(joint: Any, turns: tuple[str, str]) -> None:
    """Its spring acts about the normal of its two axes, as the moment of the ideal joint does."""
    m = tr.Model("cardan joint")
    shaft = m.body("shaft", 1.0, (0.1, 0.2, 0.15), com=(0.3, 0.1, 0.2))
    m.connect(joint, m.ground, shaft, name="joint", compliance={"ry": tr.Spring(50.0)})
    system = m.build()
    for formalism in ("kane", "newton_euler"):
        for angle, cross in ((0.3, 0.0), (1.0, 1.2), (-0.7, np.pi / 2), (0.4, 2.5)):
            start = {f"joint.{turns[0]}": angle, f"joint.{turns[1]}": cross, "joint.ry": 0.02}
            run = system.simulate(1e-9, start, formalism=formalism, samples=2)
            normal = np.array([-np.sin(angle), np.cos(angle), 0.0])
            np.testing.assert_allclose(run.values("joint.reaction_moment")[0], -50.0 * 0.02 * normal, atol=1e-9)


def test_the_second_of_three_turns_is_one_that_a_spring_holds() -> None:
    turns = {"rx": tr.Spring(3.0), "ry": tr.Motor(lambda t, q, u: 1.0), "rz": tr.Open()}
    system = swinging(tr.Connection(**dict.fromkeys("xyz", tr.Locked()), **turns)).build()
    names = [c.name for c in system.formulation.layout.coordinates]
    assert names[-3:] == ["joint.rz", "joint.rx", "joint.ry"]


@pytest.mark.parametrize("formalism", ["kane", "newton_euler"])
def test_a_second_turn_of_90_degrees_is_told(formalism: str) -> None:
    """The damping about the first grows without bound towards it, and steps become shorter without end."""
    m = tr.Model("driven over", gravity=(0, 0, 0))
    body = m.body("body", 1.0, (0.1, 0.2, 0.15), com=(0.3, 0.1, 0.2))
    motor = tr.Spring(0.1) + tr.Motor(lambda t, q, u: 3.0)
    turns = {"rx": tr.Damper(1.0), "ry": motor, "rz": tr.Open()}
    m.connect(tr.Connection(**dict.fromkeys("xyz", tr.Locked()), **turns), m.ground, body, name="joint")
    run = m.build().simulate(5.0, formalism=formalism)
    assert run.outcome.startswith("STEP_TOO_SMALL") and run.trajectory.counts.steps < 500_000
    assert "'joint', joint.ry, is 90 degrees there, where rx and rz have one axis" in run.outcome
    assert run.values("joint.ry")[-1] == pytest.approx(np.pi / 2, abs=1e-5)


def test_turns_keep_their_springs_where_slides_yield() -> None:
    """Their coordinates became one quaternion, and their springs were lost."""
    seals = {b: tr.Locked() for b in "xyz"} | {"rx": tr.Spring(5.0), "ry": tr.Spring(7.0), "rz": tr.Damper(0.1)}
    ideal, soft = (swinging(tr.Connection(**seals), compliance=c).build() for c in (None, {"x": tr.Spring(1e5, 1e2)}))
    start = {"hang.angular_rate": (0.5, -0.3, 0.8), "joint.rx": 0.3}
    one, other = (system.simulate(0.5, start=start, rtol=1e-8) for system in (ideal, soft))
    for bond in ("rx", "ry", "rz"):
        np.testing.assert_allclose(other.values(f"joint.{bond}"), one.values(f"joint.{bond}"), atol=1e-3)


@pytest.mark.parametrize("formalism", ["kane", "newton_euler"])
def test_prescribed_flows_follow_their_closed_forms(formalism: str) -> None:
    """q = sin t; q' = 1 - q; q'' = -4 q."""
    for law, start, form in (
        (tr.Servo(tr.sin), {}, np.sin),
        (tr.Flow(lambda t, q: 1 - q), {"joint.angle": 0.3}, lambda t: 1 - 0.7 * np.exp(-t)),
        (
            tr.Acceleration(lambda t, q, u: -4 * q),
            {"joint.angle": 0.3, "joint.angle_rate": 1.0},
            lambda t: 0.3 * np.cos(2 * t) + 0.5 * np.sin(2 * t),
        ),
    ):
        system = swinging(tr.AxisJoint("y", translation=tr.Locked(), rotation=law)).build(formalism)
        run = system.simulate(3.0, start={"hang.angular_rate": (0.1, 0.5, 0.2), **start}, rtol=1e-12, atol=1e-12)
        assert np.max(np.abs(run.values("joint.angle") - form(run.time))) < 1e-10
        assert run.energy.drift < 1e-10


def test_a_drive_may_close_a_loop() -> None:
    """All joints of a four-bar carry laws, so that of the drive is cut; the tree reaction does not depend on it."""

    def four_bar(formalism: str) -> tr.Model:
        m = tr.Model("four-bar")
        lengths = {"crank": 0.5, "rod": 1.2, "rocker": 1.0}
        bars = {k: m.body(k, l, (0.01, l**3 / 12, l**3 / 12), com=(l / 2, 0, 0)) for k, l in lengths.items()}
        spring = tr.Spring(3.0, 0.1)
        m.connect(tr.Revolute("y"), m.ground, bars["crank"], name="A", law=spring)
        m.connect(tr.Revolute("y"), bars["crank"].frame((0.5, 0, 0)), bars["rod"], name="B", law=spring)
        m.connect(tr.Revolute("y"), m.ground.frame((1.3, 0, 0)), bars["rocker"], name="D", law=spring)
        drive = tr.Acceleration(lambda t, q, u: tr.sin(t))
        m.connect(tr.Revolute("y"), bars["rod"].frame((1.2, 0, 0)), bars["rocker"].frame((1.0, 0, 0)), "C", law=drive)
        m.start |= {"A.angle": -1.0, "B.angle": 0.8, "D.angle": -1.8}
        return m

    kane, absolute = (four_bar(f).build(f) for f in ("kane", "newton_euler"))
    assert kane.mobility.freedoms == 0
    one, other = (s.simulate(1.0, rtol=1e-12, atol=1e-12) for s in (kane, absolute))
    for name in ("rod.position", "A.reaction_force", "C.angle_drive"):
        assert np.max(np.abs(one.values(name) - other.values(name))) < 1e-7, name
    assert one.energy.drift < 1e-9


def hinge(yields: bool) -> tr.System:
    m = tr.Model("pendulum")
    bob = m.body("bob", 2.0, (0.1, 0.2, 0.3), com=(0.1, 0.2, -0.7))
    m.connect(tr.Revolute("y"), m.ground, bob, name="hinge", compliance=stiff_spring(m) if yields else None)
    return m.build()


def stiff_spring(m: tr.Model) -> tr.Spring:
    """A spring whose stiffness and damping are parameters: one model for all of them."""
    return tr.Spring(m.parameter("k", 1e6), m.parameter("c", 2e3))


def stiff(value: float) -> dict[str, float]:
    return {"k": value, "c": 2 * np.sqrt(value)}


def test_a_stiff_joint_is_the_ideal_joint() -> None:
    start = {"hinge.angle": 1.0}
    ideal = hinge(yields=False).simulate(2.0, start)
    soft = hinge(yields=True)
    errors, reactions = [], []
    for stiffness in (1e4, 1e5, 1e6):
        run = soft.simulate(2.0, start, stiff(stiffness), method="stiff", rtol=1e-9, atol=1e-9)
        errors.append(np.max(np.abs(run.values("hinge.angle") - ideal.values("hinge.angle"))))
        late = slice(250, None)
        reactions.append(
            np.max(np.abs(run.values("hinge.reaction_force") - ideal.values("hinge.reaction_force"))[late])
        )
    for found in (errors, reactions):
        order = np.diff(np.log10(found))
        assert np.all((order > -1.1) & (order < -0.9)), found  # first order in 1 / stiffness
    assert errors[-1] < 1e-4


def test_prescribed_motions_may_hold_parameters() -> None:
    m = tr.Model("tuned")
    arm = m.body("arm", 1.0, (0.1, 0.2, 0.15), com=(0, 0, -0.5))
    rate = m.parameter("rate", 2.0, "1/s")
    m.connect(tr.Revolute("y"), m.ground, arm, law=tr.Acceleration(lambda t, q, u: -(rate**2) * q))
    system = m.build()
    for value in (2.0, 3.0):
        run = system.simulate(1.0, {"arm.angle": 0.4}, {"rate": value}, rtol=1e-12, atol=1e-12)
        assert np.max(np.abs(run.values("arm.angle") - 0.4 * np.cos(value * run.time))) < 1e-10


def slider_crank(yields: bool) -> tr.System:
    m = tr.Model("slider-crank")
    crank = m.body("crank", 1.0, (0.001, 0.02, 0.02), com=(0.15, 0, 0))
    rod, piston = m.body("rod", 1.5, (0.001, 0.1, 0.1), com=(0.4, 0, 0)), m.body("piston", 2.0)
    m.connect(tr.Revolute("y"), m.ground, crank)
    m.connect(tr.Revolute("y"), crank.at(0.3, 0, 0), rod)
    m.connect(tr.Prismatic("x"), m.ground, piston, law=tr.Damper(30.0))
    spring = {"translation": stiff_spring(m)} if yields else None
    m.connect(tr.Revolute("y"), rod.at(0.8, 0, 0), piston, name="pin", compliance=spring)
    m.start = {"crank.angle": 0.4, "crank.angle_rate": 20.0}
    return m.build()


def test_a_loop_with_a_spring_starts_unstressed_and_converges() -> None:
    ideal = slider_crank(yields=False).simulate(0.5)
    soft = slider_crank(yields=True)
    errors = []
    for stiffness in (1e6, 1e7, 1e8):
        run = soft.simulate(0.5, parameters=stiff(stiffness), method="stiff", rtol=1e-9, atol=1e-9)
        deflection = [run.values(f"pin.{bond}{rate}")[0] for bond in "xyz" for rate in ("", "_rate")]
        assert np.max(np.abs(deflection)) < 1e-9
        errors.append(np.max(np.abs(run.values("piston.displacement") - ideal.values("piston.displacement"))))
    order = np.diff(np.log10(errors))
    assert np.all((order > -1.15) & (order < -0.85)), errors


def test_values_given_to_a_run_override_those_of_the_model() -> None:
    m = tr.Model("door")
    door = m.body("door", 30.0, (10.0, 11.6, 1.6), com=(0.4, 0, 1.0))
    for name, height in (("lower", 0.2), ("upper", 1.8)):
        ends = m.ground.at(0, 0, height), door.at(0, 0, height)
        m.connect(tr.Revolute("z"), *ends, name=name, compliance=tr.Spring(1e6, 1e3))
    m.start = {"lower.angle": 1.2, "upper.angle": 1.2}
    system = m.build()
    assert system.start().report() == "the state was consistent as given"
    assert np.max(np.abs(system.start({"lower.angle": 0.0}).q)) < 1e-12
    assert abs(system.equilibrium({"lower.angle": 0.5, "upper.angle": 0.5})["lower.angle"] - 0.5) < 1e-5


def test_welds_and_drives_may_be_redundant_but_not_contradict() -> None:
    m = tr.Model("beam")
    beam = m.body("beam", 10.0, 1.0, com=(0.5, 0, 0))
    m.connect(tr.Fixed(), m.ground, beam, name="left")
    m.connect(tr.Fixed(), m.ground.at(1, 0, 0), beam.at(1, 0, 0), name="right")
    assert m.build().mobility.redundant == tuple(f"right.{bond}" for bond in BONDS)

    def door(*accelerations: float) -> tr.System:
        m = tr.Model("door")
        body = m.body("door", 30.0, (10.0, 11.6, 1.6), com=(0.4, 0, 1.0))
        for i, value in enumerate(accelerations):
            joint = tr.FixedServoJoint("z", value)
            m.connect(joint, m.ground.at(0, 0, i), body.at(0, 0, i), name=f"hinge{i}")
        return m.build()

    run = door(0.1, 0.1).simulate(1.0)
    assert run.values("hinge0.angle_drive")[-1] + run.values("hinge1.angle_drive")[-1] == pytest.approx(0.1 * 6.4)
    with pytest.raises(tr.TrundleError, match=r"contradict each other.*hinge1\.angle"):
        door(0.1, 0.2)


def test_the_reaction_of_an_elastic_contact_is_what_its_spring_carries() -> None:
    m = tr.Model("ball")
    ball = m.body("ball", 2.0, 0.01)
    m.connect(tr.Free(), m.ground, ball, name="free")
    m.connect(tr.HigherPair(tr.Plane(), tr.Sphere(0.1)), m.ground, ball, "floor", compliance=tr.Spring(1e5, 1e3))
    system = m.build()
    assert system.start().q[2] == pytest.approx(0.1)  # it touches, for nothing else was said
    assert system.reactions(system.equilibrium())["floor.reaction_force"] == pytest.approx([0, 0, 19.62])


@pytest.mark.parametrize(("law", "angle"), [(lambda t, q: 1 - q, 1.0), (lambda t, q: -3 * q, 0.0)])
def test_an_equilibrium_is_where_a_prescribed_rate_vanishes(law: Any, angle: float) -> None:
    m = tr.Model("turned")
    body = m.body("body", 1.0, 0.1)
    m.connect(tr.Revolute("z"), m.ground, body, name="hinge", law=tr.Flow(law))
    assert m.build().equilibrium({"hinge.angle": 0.3})["hinge.angle"] == pytest.approx(angle, abs=1e-12)
    box = m.body("box", shape=tr.shape.Box((0.4, 0.3, 0.2)), density=500)
    m.contact(m.ground, box, tr.Coulomb(0.5))
    m.start = {"box.position": (0.3, 0, 0.1)}  # where it could stay, but the hinge moves
    system = m.build()
    with pytest.raises(tr.TrundleError, match="no equilibrium was found"):
        system.equilibrium({"hinge.angle": 0.3})
    assert system.equilibrium({"hinge.angle": angle})["hinge.angle"] == pytest.approx(angle, abs=1e-12)


def test_a_servo_that_yields_converges_to_the_servo() -> None:
    def driven(yields: bool) -> tr.System:
        m = tr.Model("driven")
        arm = m.body("arm", 2.0, (0.1, 0.2, 0.1), com=(0, 0, -0.5))
        compliance = {"angle": stiff_spring(m)} if yields else None
        m.connect(tr.Revolute("y"), m.ground, arm, name="hinge", law=tr.Servo(tr.sin), compliance=compliance)
        return m.build()

    ideal, soft = driven(yields=False).simulate(3.0), driven(yields=True)
    errors = []
    for k in (1e4, 1e5, 1e6):
        run = soft.simulate(3.0, {"hinge.angle_rate": 1.0}, stiff(k), method="stiff", rtol=1e-10, atol=1e-10)
        errors.append(np.max(np.abs(run.values("hinge.angle") - ideal.values("hinge.angle"))))
        assert run.energy.drift < 1e-6
    order = np.diff(np.log10(errors))
    assert np.all((order > -1.1) & (order < -0.9)), errors
