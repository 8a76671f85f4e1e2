"""Gears, rack and pinion, belts: closed forms, every formalism, forces on teeth and bearings, power."""

from math import pi, sqrt

import numpy as np
import pytest

import trundle as tr
from trundle import examples
from trundle.errors import ModelError
from trundle.pairs.discover import final_classes
from trundle.pairs.mesh import Mesh

FORMALISMS = ("kane", "newton_euler", "udwadia_kalaba")
SPREAD = 0.3
SAMPLES = {
    "Gear": [tr.Gear(-20 / 57), tr.Gear(0.4), tr.Gear(-pi)],
    "Belt": [tr.Belt(0.05, 0.12), tr.Belt(0.05, 0.12, crossed=True), tr.Belt(0.1, 0.1), tr.Belt(0.1, 0.1 * sqrt(2))],
    "BevelGear": [],  # on axes that meet: below
    "RackAndPinion": [tr.RackAndPinion(0.07), tr.RackAndPinion(-0.07, along=(1, 2, 0))],
}
"""Meshes of each kind; those whose ratio is one of whole numbers, and not."""


def drive(pair, torque=3.0, **options):
    """Two wheels (or a pinion and a rack) on parallel hinges, with a motor on the first one."""
    m = tr.Model("drive", gravity=(0, 0, 0))
    first, second = m.body("first", 1.0, (0.15, 0.15, 0.2)), m.body("second", 2.0, (0.3, 0.3, 0.5))
    m.connect(tr.Revolute("z"), m.ground, first, law=tr.Motor(lambda t, q, u: torque))
    if isinstance(pair, tr.RackAndPinion):
        m.connect(tr.Prismatic(pair.along), m.ground.at(0, -0.1, 0), second)
    else:
        m.connect(tr.Revolute("z"), m.ground.at(0.8 * SPREAD, 0.6 * SPREAD, 0), second)
    m.connect(pair, first, second, name="mesh", **options)
    return m


def speed_ratio(pair):
    """Speed of the second coordinate for one of the first."""
    if isinstance(pair, tr.Gear):
        return pair.ratio
    if isinstance(pair, tr.Belt):
        return pair.side * pair.first_radius / pair.second_radius
    return pair.radius


def second_inertia(pair):
    return 2.0 if isinstance(pair, tr.RackAndPinion) else 0.5


def second_name(pair):
    return "second.displacement" if isinstance(pair, tr.RackAndPinion) else "second.angle"


def test_every_mesh_is_tried() -> None:
    assert {kind.__name__ for kind in final_classes(Mesh, of_user=False)} == set(SAMPLES)


CASES = [pair for kind in SAMPLES.values() for pair in kind]


@pytest.mark.parametrize("pair", CASES, ids=repr)
def test_inertias_behind_a_mesh_are_reduced_by_the_ratio(pair) -> None:
    """Both coordinates keep their ratio over many turns, the motor drives I1 + ratio^2 I2, and the mesh transmits power
    from the first body to the second without loss; the bearing of the second carries the force of the teeth.
    """
    system = drive(pair).build()
    ratio, inertia = speed_ratio(pair), 0.2 + second_inertia(pair) * speed_ratio(pair) ** 2
    run = system.simulate(4.0, {"first.angle": 7.0})
    assert run.ok
    rate = 3.0 / inertia
    assert run.values("first.angle")[-1] == pytest.approx(7.0 + rate * 8, rel=1e-9)
    assert np.allclose(run.values(second_name(pair)), ratio * run.values("first.angle"), rtol=1e-12, atol=1e-12)
    effort = second_inertia(pair) * ratio * rate  # moment or force that moves the second body
    assert run.values("mesh.transmitted_power")[-1] == pytest.approx(effort * ratio * rate * 4.0, rel=1e-9)
    assert run.values("mesh.first_moment")[-1] == pytest.approx(0.2 * rate - 3.0, rel=1e-9)
    along = run.values("mesh.normal_force")[-1] * run.values("mesh.contact_normal")[-1]
    if isinstance(pair, tr.RackAndPinion):
        assert run.values("mesh.tooth_force")[-1] == pytest.approx(effort, rel=1e-9)
    else:
        assert run.values("mesh.second_moment")[-1] == pytest.approx(effort, rel=1e-9)
        assert np.allclose(run.values("second.reaction_force")[-1], -along, rtol=1e-9)
    assert run.power.residual.relative < 1e-12
    assert run.energy.drift < 1e-12


@pytest.mark.parametrize("pair", [SAMPLES["Gear"][0], SAMPLES["Belt"][1], SAMPLES["RackAndPinion"][1]], ids=repr)
def test_formalisms_agree(pair) -> None:
    """Absolute coordinates determine angles up to whole turns only; still the mesh holds over many of them."""
    found = {}
    for formalism in FORMALISMS:
        run = drive(pair).build(formalism=formalism).simulate(3.0, {"first.angle": 1.0, "first.angle_rate": 2.0})
        assert run.ok
        assert np.max(np.abs(run.values("mesh.gap"))) < 1e-10
        names = ("first.angle", second_name(pair), "mesh.normal_force", "first.reaction_moment")
        found[formalism] = [run.values(name)[-1] for name in names]
    for other in FORMALISMS[1:]:
        for a, b in zip(found["kane"], found[other], strict=True):
            assert np.allclose(a, b, rtol=1e-7, atol=1e-9)


def test_a_ratio_without_whole_numbers_is_held_in_absolute_coordinates_to_the_tolerance() -> None:
    run = drive(tr.Gear(-pi)).build(formalism="newton_euler").simulate(3.0)
    assert run.ok
    assert abs(run.values("second.angle_rate")[-1] / run.values("first.angle_rate")[-1] + pi) < 1e-12
    turned = run.values("second.angle")[-1] + pi * run.values("first.angle")[-1]
    assert abs(turned) < 1e-6


@pytest.fixture(scope="module")
def planetary():
    return examples.model("planetary-gear").build()


def test_planetary_gear_follows_the_equation_of_willis(planetary) -> None:
    """(w_sun - w_carrier) / (w_ring - w_carrier) = - z_ring / z_sun with the ring at rest, and the motion of the sun
    with all inertias reduced to it: I a = T - b w / 4.5^2.
    """
    run = planetary.simulate(2.0, rtol=1e-11)
    sun, carrier = run.values("sun.angle_rate"), run.values("carrier.angle_rate")
    assert np.allclose((sun - carrier)[1:] / (0 - carrier)[1:], -70 / 20, rtol=1e-12)
    arm, i = 0.045, 20 / 90
    planet_rate = i * (1 - 70 / 25)  # absolute rate of the planet for one of the sun
    inertia = 5e-4 + i**2 * (8e-4 + 0.6 * arm**2) + 7e-4 * planet_rate**2
    assert np.allclose(sun, 2.0 / (1.5 * i**2) * (1 - np.exp(-1.5 * i**2 / inertia * run.time)), rtol=1e-8)
    assert planetary.mobility.freedoms == 1
    assert not planetary.mobility.redundant


@pytest.mark.parametrize("formalism", FORMALISMS[1:])
def test_the_planetary_gear_in_other_formalisms(formalism: str, planetary) -> None:
    """Random speeds of the carrier: equal accelerations and tooth forces."""
    rng = np.random.default_rng(5)
    other = examples.model("planetary-gear").build(formalism=formalism)
    for _ in range(3):
        start = {"carrier.angle": rng.uniform(-2, 2), "carrier.angle_rate": rng.uniform(-9, 9)}
        runs = [system.simulate(0.01, start) for system in (planetary, other)]
        for name in ("sun mesh.tooth_force", "ring mesh.tooth_force", "planet.reaction_force", "sun.angle_rate"):
            a, b = (run.values(name) for run in runs)
            assert np.allclose(a, b, rtol=1e-7, atol=1e-7 * np.max(np.abs(a)))


def test_rack_and_pinion_swings_as_one_mass() -> None:
    eigenvalues = examples.model("rack-and-pinion").build().linearise({"rack.displacement": 0.1}).eigenvalues
    assert np.max(eigenvalues.imag) == pytest.approx(sqrt(200 / (1.2 + 6e-5 / 0.02**2)), rel=1e-10)


def test_belt_that_stretches() -> None:
    """The belt force is stiffness times stretch plus damping times its rate; tensions add up to twice the mean."""
    system = examples.model("belt-drive").build()
    run = system.simulate(1.0)
    force = run.values("belt.belt_force")
    slow = run.values("flywheel.angle_rate") * 0.15 - run.values("motor.angle_rate") * 0.05
    lag = run.values("flywheel.angle") * 0.15 - run.values("motor.angle") * 0.05
    assert np.allclose(force, -2e4 * lag - 20 * slow, rtol=1e-9, atol=1e-9)
    assert np.allclose(run.values("belt.tight_tension") + run.values("belt.slack_tension"), 600)
    assert np.allclose(run.values("belt.tight_tension") - run.values("belt.slack_tension"), np.abs(force))
    undamped = sqrt(2e4 * (0.05**2 / 0.008 + 0.15**2 / 0.16))
    assert np.max(np.abs(system.linearise().eigenvalues)) == pytest.approx(undamped, rel=2e-3)


def test_separating_force_by_the_pressure_angle() -> None:
    run = drive(tr.Gear(-0.5, pressure_angle=0.4)).build().simulate(0.1)
    wanted = np.tan(0.4) * np.abs(run.values("mesh.tooth_force"))
    assert np.allclose(run.values("mesh.separating_force"), wanted)


def test_the_ratio_may_be_a_parameter() -> None:
    m = tr.Model("swept", gravity=(0, 0, 0))
    first, second = m.body("first", 1.0, (0.15, 0.15, 0.2)), m.body("second", 2.0, (0.3, 0.3, 0.5))
    ratio = m.parameter("ratio", -0.5)
    m.connect(tr.Revolute("z"), m.ground, first, law=tr.Motor(lambda t, q, u: 3.0))
    m.connect(tr.Revolute("z"), m.ground.at(SPREAD, 0, 0), second)
    m.connect(tr.Gear(ratio), first, second, name="mesh")
    system = m.build()
    for value in (-0.5, -2.0, 0.25):
        run = system.simulate(1.0, parameters={"ratio": value})
        assert run.values("first.angle_rate")[-1] == pytest.approx(3.0 / (0.2 + 0.5 * value**2), rel=1e-10)


REFUSED = {
    "turn the same way at the same speed": lambda: tr.Gear(1.0),
    "other than zero": lambda: tr.Gear(0.0),
    "right angles": lambda: tr.RackAndPinion(0.1, axis="z", along="z"),
    "greater than zero": lambda: tr.Belt(0.1, -0.1),
    "axis 'w'": lambda: tr.Gear(-1.0, axis="w"),
    "overlap": lambda: drive(tr.Belt(0.5, 0.1)).build(),
    "radii add up to 0.31 m": lambda: drive(tr.Belt(0.155, 0.155)).build(),
    "axes of its wheels are parallel": lambda: drive(tr.BevelGear(-1.0, 0.1)).build(),
    "m apart where all": lambda: bevels(off=0.01).build(),
    "not parallel": lambda: _askew().build(),
    "same axis": lambda: _coaxial().build(),
    "can open": lambda: drive(tr.Gear(-1.0), unilateral=True),
    "does not have": lambda: drive(tr.Gear(-1.0), law=tr.NoSlip()),
}


def _askew():
    m = tr.Model("askew")
    first, second = m.body("first", 1.0, 0.1), m.body("second", 1.0, 0.1)
    m.connect(tr.Revolute("z"), m.ground, first)
    m.connect(tr.Revolute("z"), m.ground.frame((1, 0, 0), ("x", 0.3)), second)
    m.connect(tr.Gear(-1.0), first, second, name="mesh")
    return m


def _coaxial():
    m = tr.Model("coaxial")
    first, second = m.body("first", 1.0, 0.1), m.body("second", 1.0, 0.1)
    m.connect(tr.Revolute("z"), m.ground, first)
    m.connect(tr.Revolute("z"), m.ground.at(0, 0, 1), second)
    m.connect(tr.Gear(-1.0), first, second, name="mesh")
    return m


@pytest.mark.parametrize("words", REFUSED)
def test_what_cannot_mesh_is_refused(words: str) -> None:
    with pytest.raises(ModelError, match=words):
        REFUSED[words]()


@pytest.mark.parametrize("formalism", ["kane", "newton_euler"])
def test_wheels_that_turn_about_another_axis_than_their_gear(formalism: str) -> None:
    m = tr.Model("askew")
    a, b = (m.body(name, mass=1.0, inertia=0.1) for name in "ab")
    m.connect(tr.Revolute("y"), m.ground, a)
    m.connect(tr.Revolute("y"), m.ground.at(0.4, 0, 0), b)
    m.connect(tr.Gear(-3.0), a, b, name="teeth")
    with pytest.raises(ModelError, match=r"'teeth': Gear: its wheels turn about \(0, 1, 0\).*axis="):
        m.build(formalism)


def test_wheels_that_leave_each_other() -> None:
    m = tr.Model("loose")
    carriage, a, b = (m.body(name, mass=1.0, inertia=0.1) for name in ("carriage", "a", "b"))
    m.connect(tr.Prismatic("x"), m.ground.at(0.4, 0, 0), carriage)
    m.connect(tr.Revolute("z"), m.ground, a)
    m.connect(tr.Revolute("z"), carriage, b)
    m.connect(tr.Gear(-3.0), a, b)
    with pytest.raises(ModelError, match="allow the distance of their axes to change"):
        m.build()


def test_a_rack_that_slides_across_its_direction() -> None:
    m = tr.Model("rack")
    pinion, rack = (m.body(name, mass=1.0, inertia=0.1) for name in ("pinion", "rack"))
    m.connect(tr.Revolute("z"), m.ground, pinion)
    m.connect(tr.Prismatic("y"), m.ground, rack)
    m.connect(tr.RackAndPinion(0.05), pinion, rack)
    with pytest.raises(ModelError, match=r"other directions than along='x'"):
        m.build()


def bevels(ratio=-1.75, radius=0.06, angle=1.1, off=0.0, **options):
    """Two bevel gears on axes that intersect at an angle, at an arbitrary point of the ground, with a motor on the
    first.
    """
    m = tr.Model("bevel gears", gravity=(0, 0, 0))
    apex = m.ground.frame((0.3, -0.2, 0.5), ("y", 0.4))
    c, d, h, k = np.cos(0.4), np.sin(0.4), np.cos(angle), np.sin(angle)
    turned = np.array([[c, 0, d], [0, 1, 0], [-d, 0, c]]) @ [[1, 0, 0], [0, h, -k], [0, k, h]]
    tilted = m.ground.frame((0.3 + off, -0.2, 0.5), turned)
    first, second = m.body("first", 1.0, (0.15, 0.15, 0.2)), m.body("second", 2.0, (0.3, 0.3, 0.5))
    m.connect(tr.Revolute("z"), apex, first, law=tr.Motor(lambda t, q, u: 3.0))
    m.connect(tr.Revolute("z"), tilted, second)
    m.connect(tr.BevelGear(ratio, radius), first, second, name="mesh", **options)
    return m


@pytest.mark.parametrize("ratio", [-1.75, 0.4, -sqrt(2)])
def test_bevel_gears_reduce_inertias_by_the_ratio(ratio: float) -> None:
    """T = (I1 + ratio^2 I2) alpha; the teeth push with I2 ratio alpha / r2 at r2 = r1 / |ratio| from the second axis,
    at right angles to both axes, and the bearing carries it.
    """
    run = bevels(ratio).build().simulate(2.0, {"first.angle": 3.0})
    rate = 3.0 / (0.2 + 0.5 * ratio**2)
    assert run.ok and run.energy.drift < 1e-12
    assert np.allclose(run.values("second.angle"), ratio * run.values("first.angle"), rtol=1e-12, atol=1e-12)
    assert run.values("first.angle")[-1] == pytest.approx(3.0 + 2 * rate, rel=1e-9)
    force = run.values("mesh.tooth_force")[-1]
    assert abs(force) == pytest.approx(0.5 * abs(ratio) * rate / (0.06 / abs(ratio)), rel=1e-9)
    push = force * run.values("mesh.contact_normal")[-1]
    first_axis = np.array([np.sin(0.4), 0, np.cos(0.4)])
    assert abs(push @ first_axis) < 1e-9 * abs(force)
    arm = run.values("mesh.contact_point")[-1] - np.array([0.3, -0.2, 0.5])
    assert np.linalg.norm(np.cross(first_axis, arm)) == pytest.approx(0.06, rel=1e-9)
    assert np.allclose(run.values("second.reaction_force")[-1], -push, rtol=1e-9)
    assert run.values("mesh.second_moment")[-1] == pytest.approx(0.5 * ratio * rate, rel=1e-9)
    assert run.power.residual.relative < 1e-12


def test_bevel_gears_in_every_formalism() -> None:
    found = []
    for formalism in FORMALISMS:
        run = bevels().build(formalism=formalism).simulate(2.0, {"first.angle_rate": 2.0})
        found.append([run.values(name)[-1] for name in ("first.angle", "second.angle", "mesh.tooth_force")])
        assert np.max(np.abs(run.values("mesh.gap"))) < 1e-10
    assert np.allclose(found[0], found[1], rtol=1e-7) and np.allclose(found[0], found[2], rtol=1e-7)


def differential():
    """A cage that turns about x with a bevel pinion on it, between two side gears on the axis of the cage."""
    m = tr.Model("differential", gravity=(0, 0, 0))
    cage, pinion, left, right = (
        m.body(name, mass, inertia)
        for name, mass, inertia in (
            ("cage", 2.0, (0.02, 0.03, 0.03)), ("pinion", 0.2, (1e-4, 1e-4, 2e-4)), ("left", 1.0, (4e-3, 5e-3, 5e-3)),
            ("right", 1.0, (9e-3, 8e-3, 8e-3)),
        )
    )  # fmt: skip
    m.connect(tr.Revolute("x"), m.ground, cage, name="cage", law=tr.Motor(lambda t, q, u: 5.0))
    m.connect(tr.Revolute("x"), m.ground, left, name="left", law=tr.Damper(0.02))
    m.connect(tr.Revolute("x"), m.ground, right, name="right", law=tr.Damper(0.05))
    m.connect(tr.Revolute("z"), cage, pinion, name="pinion")
    for side, sign in ((left, 1), (right, -1)):  # each axis points to its wheel
        wheel = side.frame((0, 0, 0), ("y", sign * np.pi / 2))
        m.connect(tr.BevelGear(-2.0, 0.04), wheel, pinion, name=f"{side.name} teeth")
    return m


def test_a_differential_shares_the_torque() -> None:
    """The cage turns at the mean of its side gears; without the inertia of the pinion both get the same moment."""
    run = differential().build().simulate(1.5, rtol=1e-11)
    left, right, cage = (run.values(f"{name}.angle_rate") for name in ("left", "right", "cage"))
    assert np.allclose(left + right, 2 * cage, rtol=1e-10, atol=1e-12)
    assert abs(left[-1] - right[-1]) > 1.0
    pushed = [run.values(f"{side} teeth.first_moment") for side in ("left", "right")]
    spin = np.gradient(run.values("pinion.angle_rate"), run.time)
    assert np.allclose(np.abs(pushed[0] + pushed[1])[5:-5], np.abs(2e-4 * spin * 2)[5:-5], rtol=2e-2, atol=1e-6)
    assert run.energy.drift < 1e-9


def test_bevel_gears_whose_axes_part_are_refused() -> None:
    m = tr.Model("loose", gravity=(0, 0, 0))
    yoke, a, b = (m.body(name, mass=1.0, inertia=0.1) for name in ("yoke", "a", "b"))
    m.connect(tr.Revolute("x"), m.ground, yoke)
    m.connect(tr.Revolute("z"), m.ground, a)
    m.connect(tr.Revolute("z"), yoke.frame((0, 0, 0), ("x", 1.0)), b)
    m.connect(tr.BevelGear(-1.0, 0.1), a, b)
    with pytest.raises(ModelError, match="BevelGear"):
        m.build()


def rattling(damping: float, pair=None):
    """Two free wheels whose teeth have a play of 2 mm, turning at different speeds."""
    law = tr.Backlash(4e4, 2e-3, damping)
    return drive(pair or tr.Gear(-0.5), torque=0.0, compliance=law).build(), law


def reduced(pair) -> tuple[float, float]:
    """Pitch radius of the first wheel, and the mass along the line of the teeth: 1/m = r1^2/I1 + r2^2/I2."""
    r1 = SPREAD * pair.ratio / (pair.ratio - 1)
    r2 = r1 / abs(pair.ratio)
    return r1, 1 / (r1**2 / 0.2 + r2**2 / 0.5)


def test_backlash_rattles_as_a_mass_between_two_springs() -> None:
    """Elastic teeth: crossing the play takes c / v, each push half a period: the number of pushes follows."""
    system, law = rattling(0.0)
    r1, mass = reduced(tr.Gear(-0.5))
    speed = 0.3
    start = {"first.angle_rate": speed / r1, "second.angle_rate": 0.0}
    run = system.simulate(0.5, start, samples=20001)
    gap, force = run.values("mesh.gap"), run.values("mesh.tooth_force")
    half = law.clearance / speed + pi * sqrt(mass / law.stiffness)  # from push to push
    pushes = np.count_nonzero(np.diff((force != 0).astype(int)) == 1)
    wanted = 1 + int((0.5 - law.clearance / 2 / speed) // half)
    assert wanted == 10 and pushes == wanted
    assert np.max(np.abs(gap)) == pytest.approx(law.clearance / 2 + speed * sqrt(mass / law.stiffness), rel=1e-4)
    assert run.energy.drift < 1e-6  # each end of the play is a kink of the force


@pytest.mark.parametrize("pair", [tr.Gear(-0.5), tr.Gear(0.4)], ids=repr)
def test_backlash_against_one_equation(pair) -> None:
    """m x'' = force of the law, by another integrator; the loss at the teeth is in the energy balance."""
    from scipy.integrate import solve_ivp

    system, law = rattling(1.5, pair)
    r1, mass = reduced(pair)
    run = system.simulate(0.1, {"first.angle_rate": 0.3 / r1}, samples=41)

    def rates(t: float, y: list[float]) -> list[float]:
        beyond = max(abs(y[0]) - law.clearance / 2, 0.0)
        side = np.sign(y[0])
        return [y[1], -side * law.stiffness * beyond * max(1 + law.damping * side * y[1], 0.0) / mass]

    by_hand = solve_ivp(rates, (0, 0.1), [0.0, -0.3], t_eval=run.time, rtol=1e-10, atol=1e-13, max_step=1e-4)
    assert np.allclose(run.values("mesh.gap"), by_hand.y[0], atol=1e-8)
    lost = mass / 2 * (0.3**2 - by_hand.y[1][-1] ** 2) - law.potential(0.0, by_hand.y[0][-1])
    assert float(lost) > 1e-4
    assert run.energy.drift < 1e-8
