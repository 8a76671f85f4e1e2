"""Power audit: closed forms, sums at the junctions, energies against the balance of the run, files."""

import numpy as np
import pytest

import trundle as tr
from trundle import examples
from trundle.errors import ModelError, SolveError, StoreError, UnknownNameError
from trundle.run.energy import Energy
from trundle.run.energy_table import EnergyTable
from trundle.run.power import Power
from trundle.run.quadrature import increments
from trundle.run.run import Run

INERTIA = (0.12, 0.21, 0.17, 0.013, -0.021, 0.017)
G = 9.81


def pendulum(formalism: str = "kane", law: tr.EffortLaw | None = None) -> Run:
    m = tr.Model("pendulum")
    bob = m.body("bob", mass=2.0, inertia=(0.1, 0.1, 0.1), com=(0, 0, -0.8))
    m.connect(tr.Revolute("y"), m.ground, bob, name="pivot", law=law)
    return m.build(formalism).simulate(3.0, {"pivot.angle": 1.2}, samples=301)


def gained(table: EnergyTable, *kinds: str) -> float:
    """Net energy that all nodes of these kinds took."""
    return sum(t.energy * ((t.taker.kind in kinds) - (t.giver.kind in kinds)) for t in table)


def assert_as_the_balance(run: Run, tolerance: float = 1e-9) -> None:
    table, energy = run.power.table(), run.energy
    assert table.closing < tolerance * energy.scale
    change = energy.kinetic[-1] - energy.kinetic[0]
    assert gained(table, "kinetic") == pytest.approx(change, abs=tolerance * energy.scale)
    change = energy.potential[-1] - energy.potential[0]
    assert gained(table, "gravity", "store") == pytest.approx(change, abs=tolerance * energy.scale)
    assert -gained(table, "source", "drive") == pytest.approx(energy.work_in[-1], abs=tolerance * energy.scale)
    assert gained(table, "loss") == pytest.approx(energy.work_lost[-1], abs=tolerance * energy.scale)


# -- closed forms ------------------------------------------------------------------------------------------------------


def test_work_of_gravity_on_a_pendulum_follows_from_its_height():
    run = pendulum()
    angle, rate = run.values("pivot.angle"), run.values("pivot.angle_rate")
    ports = run.power["bob"]
    assert np.allclose(ports.power.sel(port="gravity"), -2.0 * G * 0.8 * np.sin(angle) * rate, atol=1e-12)
    height = -0.8 * np.cos(angle)
    assert np.allclose(ports.energy.sel(port="gravity"), 2.0 * G * (height[0] - height), atol=1e-10)
    assert np.allclose(ports.power.sum("port"), 0.0, atol=1e-13)
    assert list(ports.port.values) == ["inertance", "gravity", "pivot"]
    kinetic = run.energy.kinetic
    assert np.allclose(ports.energy.sel(port="inertance"), kinetic[0] - kinetic, atol=1e-10)


def test_a_motor_speeds_up_a_flywheel():
    m = tr.Model("flywheel")
    wheel = m.body("wheel", mass=3.0, inertia=(0.2, 0.2, 0.4))
    m.connect(tr.Revolute("z"), m.ground, wheel, name="axle", law=tr.Motor(1.5))
    run = m.build().simulate(2.0, samples=101)
    bonds = run.power["axle"]
    rate = 1.5 / 0.4 * run.time
    assert np.allclose(bonds.flow.sel(bond="rz"), rate, atol=1e-12)
    assert np.allclose(bonds.effort.sel(bond="rz"), 1.5)
    assert np.allclose(bonds.effort.sel(bond="z"), 3.0 * G)
    assert np.allclose(bonds.power.sel(bond="rz"), 1.5 * rate, atol=1e-12)
    assert np.allclose(bonds.energy.sel(bond="rz"), 0.2 * rate**2, atol=1e-12)
    assert np.allclose(bonds.energy_to_second, 0.2 * rate**2, atol=1e-12) and not bonds.energy_to_first.any()
    assert list(bonds.element.values) == ["FC"] * 5 + ["Se"]
    assert bonds.power.attrs["units"] == "W" and bonds.energy.attrs["long_name"]
    table = run.power.table()
    assert [(str(t.giver), str(t.taker)) for t in table] == [
        ("source axle.angle", "wheel"),
        ("wheel", "kinetic energy of wheel"),
    ]
    assert table[0].energy == pytest.approx(0.2 * rate[-1] ** 2, rel=1e-12)
    assert "source axle.angle" in str(table) and "closing error" in str(table)
    half = run.power.table(0.0, 1.0)
    assert half[0].energy == pytest.approx(table[0].energy / 4, rel=1e-12)


def test_a_damper_takes_what_the_motion_loses():
    m = tr.Model("slider", gravity=(0, 0, 0))
    block = m.body("block", mass=2.0, inertia=(1, 1, 1))
    m.connect(tr.Prismatic("x"), m.ground, block, name="guide", law=tr.Damper(3.0))
    run = m.build().simulate(1.0, {"guide.displacement_rate": 2.0}, samples=201)
    law = run.power["guide.displacement"]
    speed = 2.0 * np.exp(-1.5 * run.time)
    assert np.allclose(law.lost, 3.0 * speed**2, atol=1e-9)
    assert np.allclose(law.lost_energy, 4.0 - speed**2, atol=1e-9)
    assert np.allclose(law.power.sel(receiver="guide"), -law.lost) and not law.supplied.any() and not law.stored.any()
    assert run.power.table().balance("losses in guide.displacement") == pytest.approx(4.0 - speed[-1] ** 2, abs=1e-9)


def test_the_power_of_a_force_between_bodies_is_given_for_each():
    m = tr.Model("two masses", gravity=(0, 0, 0))
    a, b = (m.body(n, mass=1.0, inertia=(1, 1, 1)) for n in "ab")
    m.connect(tr.Prismatic("x"), m.ground, a)
    m.connect(tr.Prismatic("x"), m.ground.at(1, 0, 0), b)
    m.apply(tr.SpringDamper(a, b, 30.0, 0.5, 0.8))
    run = m.build().simulate(2.0, samples=401)
    force = run.power["springdamper-1"]
    assert list(force.receiver.values) == ["a", "b"]
    given = force.supplied - force.lost - force.stored
    assert np.allclose(force.power.sum("receiver"), given, atol=1e-12)
    assert np.allclose(force.power.sel(receiver="a"), force.power.sel(receiver="b"), atol=1e-12)
    assert_as_the_balance(run)


# -- sums --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        "andrews-squeezer", "ball-in-bowl", "benchmark-bicycle", "bricard", "dzhanibekov", "flyball-governor",
        "four-bar", "four-bar-diagonal-spring", "heavy-top", "n-four-bar", "rolling-disc", "simple-pendulum",
        "spatial-slider-crank", "spiral-column", "stiff-four-bar",
    ],
)  # fmt: skip
def test_junctions_of_the_examples_add_to_zero(name: str):
    run = examples.model(name).build().simulate(0.05 if "andrews" in name else 0.5, samples=41)
    residual = run.power.residual
    assert residual.relative < 1e-12, residual
    power = run.power.flows.power
    assert np.isfinite(power).all() and (name == "dzhanibekov" or np.abs(power).max() > 0)


PAIRS: dict[str, tuple[object, dict[str, object]]] = {
    "revolute": (tr.Revolute((1, 2, 0.5)), {"law": tr.Spring(2.0, 0.3, 0.2)}),
    "prismatic": (tr.Prismatic((0, 1, 1)), {"law": tr.Motor(lambda t, q, u: tr.sin(3 * t) - u)}),
    "helical": (tr.Helical((1, 0, 2), pitch=0.3), {"law": tr.Motor(0.7)}),
    "helical, compliant": (tr.Helical("z", pitch=0.3), {"compliance": tr.Spring(400.0, 2.0)}),
    "cylindrical": (tr.Cylindrical("x"), {"law": {"angle": tr.Damper(0.2), "displacement": tr.Spring(30.0)}}),
    "planar": (tr.Planar("y"), {"law": {"x": tr.Servo(lambda t: 0.2 * tr.sin(t)), "angle": tr.Motor(0.1)}}),
    "universal": (tr.Universal("y"), {"law": {"angle": tr.Spring(1.0), "cross_angle": tr.Damper(0.3)}}),
    "universal, compliant": (tr.Universal("y"), {"compliance": {"rotation": tr.Spring(20.0, 0.2)},
                                                  "law": {"angle": tr.Spring(1.0), "cross_angle": tr.Damper(0.3)}}),
    "spherical": (tr.Spherical(), {}),
    "fixed": (tr.Fixed(), {}),
    "free": (tr.Free(), {"law": {"x": tr.Spring(20.0, 1.0)}}),
    "hinge on springs": (tr.Revolute("x"), {"compliance": {"translation": tr.Spring(500.0, 5.0)}}),
    "axis joint": (tr.AxisJoint("y", translation=tr.Spring(80.0, 1.0), rotation=tr.Flow(lambda t, q: 0.5 - q)), {}),
    "servo joint": (tr.FixedServoJoint("z", lambda t, q, u: tr.cos(t)), {}),
    "three turns": (
        tr.Connection(x=tr.Locked(), y=tr.Spring(90.0, 1.0), z=tr.Locked(), rx=tr.Spring(3.0), ry=tr.Spring(20.0, 0.2),
                      rz=tr.Damper(0.1)), {}),
}  # fmt: skip


def chain_with(name: str) -> tr.Model:
    """The joint between two moving bodies, connected from its second to its first, in turned frames."""
    pair, options = PAIRS[name]
    m = tr.Model(f"chain with {name}", gravity=(0.4, -0.3, -9.7))
    a, b = (m.body(n, mass=1.3, inertia=INERTIA, com=(0.1, -0.05, -0.3)) for n in "ab")
    m.connect(tr.Universal("x"), m.ground, a, name="root", law={"angle": tr.Damper(0.1)})
    m.connect(pair, b.frame((0.05, 0, 0.1), ("x", 0.4)), a.frame((0, 0.1, -0.5), ("y", -0.3)), name="joint", **options)
    m.apply(tr.Wrench(b.at(0, 0.1, 0), force=lambda s: (0.2, tr.cos(s.t), 0), axes="body"))
    return m


@pytest.mark.parametrize("name", PAIRS)
def test_every_joint_keeps_power_in_both_formalisms(name: str):
    start = {"root.angle": 0.3, "root.angle_rate": 0.7, "root.cross_angle_rate": -0.4}
    runs = [chain_with(name).build(f).simulate(0.6, start, samples=121) for f in ("kane", "newton_euler")]
    for run in runs:
        assert run.power.residual.relative < 1e-12, run.power.residual
        assert_as_the_balance(run)
    kane, euler = (run.power.flows for run in runs)
    scale = float(np.abs(kane.power).max())
    assert np.allclose(kane.power, euler.power, atol=1e-8 * scale)
    bonds, same = (run.power["joint"] for run in runs)
    held = [b for b, e in zip(bonds.bond.values, bonds.element.values, strict=True) if e == "FC"]
    assert np.max(np.abs(bonds.flow.sel(bond=held).values), initial=0.0) < 1e-10
    assert np.allclose(bonds.effort, same.effort, atol=1e-7 * max(1.0, float(np.abs(bonds.effort).max())))
    assert np.abs(bonds.power_to_first + bonds.power_to_second - bonds.power.sum("bond")).max() < 1e-12 * scale


CONTACTS: dict[str, object] = {
    "no slip": tr.NoSlip(),
    "dampers": {"slip_x": tr.Damper(5.0), "slip_y": tr.Damper(3.0), "spin": tr.Damper(0.1)},
    "drives": {"slip_x": tr.Flow(lambda t, q: 0.2 * tr.sin(t)), "slip_y": tr.Locked()},
    "chain": {"slip_x": tr.Damper(5.0), "pitch": tr.Servo(lambda t: 3 * t), "yaw": tr.Spring(1.0, 0.1)},
}


@pytest.mark.parametrize("name", CONTACTS)
def test_contacts_keep_power(name: str):
    m = tr.Model(f"disc, {name}")
    disc = m.body("disc", mass=1.0, inertia=(0.125, 0.25, 0.125))
    m.connect(tr.HigherPair(tr.Plane(), tr.CircleEdge(radius=0.5)), m.ground, disc, name="road", law=CONTACTS[name])
    start = {"road.roll": 0.2, "road.yaw_rate": 0.5} | ({} if name == "chain" else {"road.pitch_rate": 4.0})
    run = m.build().simulate(1.0, start, samples=301)
    assert run.power.residual.relative < 1e-12
    assert_as_the_balance(run)
    assert list(run.power["road"].bond.values) == ["slip_x", "slip_y", "normal", "roll_x", "roll_y", "spin"]
    if name == "dampers":
        bonds = run.power["road"]
        assert np.allclose(bonds.effort.sel(bond="slip_x"), -5.0 * bonds.flow.sel(bond="slip_x"))


def test_a_bicycle_with_a_rider_closes():
    m = examples.model("benchmark-bicycle")
    m.apply(tr.CoordinateForce("rear.roll", tr.Spring(200.0, 20.0)), name="helper")
    m.apply(tr.CoordinateForce("steering.angle", lambda s: 0.3 * tr.sin(2 * s.t)), name="rider")
    m.apply(tr.CoordinateForce("rear hub.angle", lambda s: 3.0), name="pedal")
    run = m.build().simulate(2.0, samples=801)
    assert run.power.residual.relative < 1e-12
    assert_as_the_balance(run)
    chain = run.power["rear.chain"]
    assert np.allclose(chain.power_to_second, run.power["helper"].power.sel(receiver="rear.chain"), atol=1e-10)
    assert run.power["rear"].attrs["second"] == "rear wheel" and chain.attrs["second"] == "rear frame"


def test_the_residual_notices_a_wrong_force(monkeypatch: pytest.MonkeyPatch):
    run = pendulum(law=tr.Damper(0.3))
    table, columns = run.power.samples.table.copy(), run.power.samples.plan.at["pivot", "effort"]
    table[:, columns] *= 1 + 1e-6
    monkeypatch.setitem(run.power.samples.__dict__, "table", table)
    assert run.power.residual.relative > 1e-8 and run.power.residual.junction == "0 pivot"


# -- energies ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("formalism", ["kane", "newton_euler"])
def test_energies_agree_with_the_balance_of_the_run(formalism: str):
    run = pendulum(formalism, tr.Spring(3.0, 0.3) + tr.Motor(lambda t, q, u: tr.sin(4 * t)))
    assert_as_the_balance(run)
    law = run.power["pivot.angle"]
    assert np.allclose(law.supplied_energy, run.energy.work_in, atol=1e-8)
    assert np.allclose(law.lost_energy, run.energy.work_lost, atol=1e-8)
    junctions = run.power.flows.energy.groupby("junction").sum()
    assert np.abs(junctions).max() < 1e-8


def test_a_jump_is_separate_from_the_flows():
    m = tr.Model("pendulum at a wall")
    bob = m.body("bob", mass=1.0, inertia=(0.1, 0.1, 0.1), com=(0, 0, -1))
    m.connect(tr.Revolute("y"), m.ground, bob, name="pivot", law=tr.Damper(0.2))
    bounce = {"pivot.angle_rate": lambda s: -0.8 * s["pivot.angle_rate"]}
    m.event("wall", lambda s: s["pivot.angle"] + 0.1, direction=-1, action=bounce)
    run = m.build().simulate(5.0, {"pivot.angle": 1.0})
    assert len(run.jump_times) == 4
    table = run.power.table()
    lost = [t for t in table if str(t.taker) == "jumps at events"]
    log = run.trajectory.events
    before = log.x[:, 1] ** 2 * (0.1 + 1.0) / 2
    assert len(lost) == 1 and lost[0].energy == pytest.approx(float(np.sum(before)) * (1 - 0.8**2), rel=1e-9)
    assert gained(table, "kinetic") == pytest.approx(run.energy.kinetic[-1] - run.energy.kinetic[0], abs=1e-9)
    assert gained(table, "loss") == pytest.approx(run.energy.work_lost[-1], abs=1e-9)
    assert table.closing < 1e-9


def test_integrals_are_of_high_order_and_know_jumps():
    errors = []
    for n in (21, 41):
        t = np.linspace(0.0, 2.0, n)
        total = np.cumsum(increments(t, np.exp(t)[:, None])[:, 0])
        errors.append(np.abs(total - (np.exp(t[1:]) - 1)).max())
    assert errors[0] < 1e-11 and errors[1] < 1e-13
    uneven = np.sort(np.concatenate([[0.0, 2.0], np.random.default_rng(4).uniform(0, 2, 60)]))
    total = np.sum(increments(uneven, np.cos(uneven)[:, None]))
    assert total == pytest.approx(np.sin(2.0), abs=1e-9)
    t = np.linspace(0.0, 2.0, 81)
    saw = np.where(t <= 0.7123, np.sin(t), 5.0 + np.cos(t))
    total = np.sum(increments(t, saw[:, None], [0.7123]))
    exact = 1 - np.cos(0.7123) + 5 * (2 - 0.7123) + np.sin(2.0) - np.sin(0.7123)
    assert total == pytest.approx(exact, abs=1e-11)
    assert increments(np.array([0.0, 1.0]), np.array([[0.0], [2.0]]))[0, 0] == pytest.approx(1.0)


def test_samples_too_far_apart_are_reported():
    m = tr.Model("fast")
    ball = m.body("ball", mass=1.0, inertia=(1, 1, 1))
    m.connect(tr.Prismatic("z"), m.ground, ball, name="guide", law=tr.Spring(1e6, 10.0))
    table = m.build().simulate(1.0, {"guide.displacement": 0.1}, samples=21).power.table()
    assert "more samples" in table.doubt and "more samples" in str(table)


def test_a_law_that_hides_its_energy_is_named(monkeypatch: pytest.MonkeyPatch):
    run = pendulum(law=tr.Damper(0.3))
    table, columns = run.power.samples.table.copy(), run.power.samples.plan.at["pivot.angle", "lost"]
    assert run.power.table().doubt == ""
    fresh = Power(run)
    table[:, columns] = 0.0
    monkeypatch.setitem(fresh.samples.__dict__, "table", table)
    assert "at 'pivot' does not account for its energy" in fresh.table().doubt
    assert "more samples" not in str(fresh.table()) and "dissipated" in str(fresh.table())


def test_a_balance_that_does_not_close_is_not_blamed_on_the_samples(monkeypatch: pytest.MonkeyPatch):
    run = pendulum(law=tr.Damper(0.3))
    table, columns = run.power.samples.table.copy(), run.power.samples.plan.at["bob", "kinetic_energy"]
    table[-1, columns] += 5.0
    monkeypatch.setitem(run.power.samples.__dict__, "table", table)
    assert "more samples" in run.power.table().doubt
    monkeypatch.setattr(Energy, "drift", 0.2)
    assert "smaller rtol" in run.power.table().doubt


def test_a_system_at_rest_gets_no_advice():
    m = tr.Model("shelf")
    book = m.body("book", mass=2.0, inertia=(0.1, 0.1, 0.1), com=(0.1, 0.2, -0.8))
    m.connect(tr.Universal("x"), m.ground, book, name="nail", law={"angle": tr.Damper(0.3)})
    system = m.build()
    rest = system.equilibrium()
    table = system.simulate(1.0, {n: rest[n] for n in ("nail.angle", "nail.cross_angle")}, samples=41).power.table()
    assert table.closing < 1e-12 and table.doubt == ""


# -- names and files ---------------------------------------------------------------------------------------------------


def test_names_that_are_not_known_are_reported():
    run = pendulum()
    with pytest.raises(UnknownNameError, match="pivot"):
        run.power["pivott"]
    with pytest.raises(UnknownNameError, match="bob"):
        run.power.body("pivot")
    with pytest.raises(SolveError, match="within the run"):
        run.power.table(2.0, 1.0)
    for start, end in ((1.0, 1.0), (-1.0, 2.0), (0.0, 9.0)):
        with pytest.raises(SolveError, match="within the run"):
            run.power.table(start, end)
    with pytest.raises(ModelError, match="start of the energy table must be a number, got 'a'"):
        run.power.table("a", 1)
    with pytest.raises(ModelError, match="end of the energy table must be finite"):
        run.power.table(0.0, np.nan)
    with pytest.raises(SolveError, match="more samples"):
        run.power.table(1.0, 1.001)


def test_a_connection_comes_before_a_body_of_the_same_name():
    m = tr.Model("pendulum")
    bob = m.body("bob", mass=2.0, inertia=(0.1, 0.1, 0.1), com=(0, 0, -0.8))
    m.connect(tr.Revolute("y"), m.ground, bob)
    run = m.build().simulate(0.5, {"bob.angle": 1.0}, samples=21)
    assert "bond" in run.power["bob"].dims and "port" in run.power.body("bob").dims
    assert "power.body('bob') is the body" in run.power["bob"].attrs["same_name"]
    assert "same_name" not in pendulum().power["bob"].attrs


def test_bonds_go_by_the_names_of_the_graph():
    run = pendulum(law=tr.Damper(0.3))
    assert run.power["pivot.rz"].identical(run.power["pivot.angle"])
    held = run.power["pivot.z"]
    assert (
        np.array_equal(held.effort, run.power["pivot"].effort.sel(bond="z")) and held.attrs["title"] == "bond pivot.z"
    )
    with pytest.raises(UnknownNameError, match=r"bond, force or law .*'pivot\.rz'"):
        run.power["pivot.rzz"]
    m = tr.Model("driven")
    wheel = m.body("wheel", mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.connect(tr.Revolute("z"), m.ground, wheel, name="axle", law=tr.Servo(lambda t: t**2))
    driven = m.build().simulate(1.0, samples=21).power
    assert driven["axle.angle"].identical(driven["axle.rz"])
    assert np.allclose(driven["axle.rz"].power, 0.1 * 2.0 * 2.0 * driven.run.time)


def test_names_of_users_do_not_clash_with_names_of_the_audit():
    m = tr.Model("names")
    disc, other = (m.body(n, mass=1.0, inertia=(0.125, 0.25, 0.125)) for n in ("disc", "spare_energy"))
    pair = tr.HigherPair(tr.Plane(), tr.CircleEdge(radius=0.5))
    m.connect(pair, m.ground, disc, name="road", law={"yaw": tr.Spring(1.0)})
    m.connect(tr.Prismatic("x"), m.ground, other, name="road chain", law=tr.Damper(0.3))
    m.apply(tr.SpringDamper(disc, other, 5.0, 0.1, 0.3), "strut")
    run = m.build().simulate(0.5, {"road.roll": 0.2, "road.yaw": 0.1}, samples=101)
    assert run.power.residual.relative < 1e-12
    assert_as_the_balance(run)
    assert "bond" in run.power["road chain"].dims and "bond" not in run.power["road.chain"].dims


def test_an_audit_that_was_kept_is_read_from_the_file(tmp_path):
    run = examples.model("benchmark-bicycle").build().simulate(1.0, samples=61)
    run.power.keep()
    again = tr.load(run.save(tmp_path / "ride.nc"))
    assert again.power.residual == run.power.residual and again.power.table() == run.power.table()
    assert again.power["steering"].equals(run.power["steering"]) and again.power["rear"].equals(run.power["rear"])
    assert again.power.flows.equals(run.power.flows)


def test_a_file_without_audit_explains_how_to_store_it(tmp_path):
    again = tr.load(pendulum().save(tmp_path / "swing.nc"))
    with pytest.raises(StoreError, match=r"run\.power\.keep\(\)"):
        again.power.table()


def test_single_quantities_of_the_audit_go_by_name():
    run = pendulum()
    assert np.array_equal(run["bob.gravity_power"], run.power["bob"].power.sel(port="gravity"))
    assert run["pivot.effort"].dims == ("time", "bond")
    assert run["pivot.effort"].attrs["units"] == "N, N, N, N m, N m, N m"
    assert [run[f"pivot.effort_{bond}"].attrs["units"] for bond in ("z", "ry")] == ["N", "N m"]
