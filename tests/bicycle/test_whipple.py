"""The benchmark bicycle: published eigenvalues, formalisms, energy, and the closed form of its pitch."""

import numpy as np
import pytest

import trundle as tr
from trundle.bicycle import Geometry, benchmark, benchmark_parts, pitch, whipple
from trundle.study.linearise import Linearisation

# [Meijaard et al. 2007]: M q'' + v C1 q' + (g K0 + v^2 K2) q = 0 for roll and steer, with the signs of z-down axes
M = np.array([[80.81722, 2.31941332208709], [2.31941332208709, 0.29784188199686]])
C1 = np.array([[0, 33.86641391492494], [-0.85035641456978, 1.68540397397560]])
K0 = np.array([[-80.95, -2.59951685249872], [-2.59951685249872, -0.80329488458618]])
K2 = np.array([[0, 76.59734589573222], [0, 2.65431523794604]])
AT_FIVE = (-0.77534188 + 4.46486771j, -0.77534188 - 4.46486771j, -0.32286643, -14.07838969)


def published(speed: float) -> np.ndarray:
    """Eigenvalues of the published matrices."""
    stiffness, damping = 9.81 * K0 + speed**2 * K2, speed * C1
    lower = -np.linalg.solve(M, np.hstack([stiffness, damping]))
    return np.linalg.eigvals(np.vstack([np.eye(2, 4, 2), lower]))


@pytest.fixture(scope="module")
def system() -> tr.System:
    return benchmark().build()


def four(linear: Linearisation) -> np.ndarray:
    """The eigenvalues without the neutral one of the forward speed."""
    values = linear.eigenvalues
    return np.delete(values, np.argmin(np.abs(values)))


def test_numbers_of_coordinates_and_freedoms(system: tr.System) -> None:
    assert system.mobility.configuration == 7
    assert system.mobility.freedoms == 3
    assert system.mobility.redundant == ()


@pytest.mark.parametrize("speed", np.linspace(1.0, 10.0, 10))
def test_published_eigenvalues(system: tr.System, speed: float) -> None:
    linear = system.linearise({"speed": speed})
    assert linear.steady and len(linear.eigenvalues) == 5
    for expected in published(speed):
        assert np.min(np.abs(four(linear) - expected)) < 1e-10


def test_printed_eigenvalues(system: tr.System) -> None:
    for expected in AT_FIVE:
        assert np.min(np.abs(four(system.linearise({"speed": 5.0})) - expected)) < 1e-8


def test_eigenvalues_at_rest(system: tr.System) -> None:
    values = system.linearise({"speed": 0.0}).eigenvalues.real
    for expected in published(0.0):
        assert np.min(np.abs(values - expected)) < 1e-10


def test_linear_equations_do_not_depend_on_place_and_heading(system: tr.System) -> None:
    """Straight ahead in any direction: the eigenvalues are those of a chart without x, y and yaw."""
    linear = system.linearise({"rear_angle_rate": 5.0 / 0.3, "yaw": 1.1, "x": 3.0, "y": -2.0, "rear_angle": 0.7})
    for expected in AT_FIVE:
        assert np.min(np.abs(four(linear) - expected)) < 1e-8
    assert {"rear.x", "rear.y", "rear.yaw"} <= set(linear.cyclic)


def test_contacts_on_wheels_or_frames_are_the_same_machine(system: tr.System) -> None:
    other = whipple(benchmark_parts(), wheels_first=True).build()
    assert four(other.linearise({"speed": 4.0})) == pytest.approx(four(system.linearise({"speed": 4.0})), abs=1e-9)
    state = {"roll": 0.2, "steer": 0.1, "rear_angle_rate": 12.0, "roll_rate": 0.3, "steer_rate": -0.4}
    a = system.accelerations(state)
    pitch_rate = system.start(state).u[4]
    b = other.accelerations({**state, "rear.pitch": 0.0, "rear.pitch_rate": 12.0 + pitch_rate})
    for name in (
        "rear hub.reaction_force",
        "front.reaction_force",
        "steering.reaction_moment",
        "front hub.reaction_force",
    ):
        assert a[name] == pytest.approx(b[name], abs=1e-8)


def test_formalisms_agree_far_from_upright() -> None:
    m = benchmark(0.03, 0.02)
    state = {"roll": 0.3, "steer": -0.4, "yaw": 0.7, "rear_angle_rate": 10.0, "roll_rate": 0.5, "steer_rate": 0.8}
    system = m.build()
    a, b = system.accelerations(state), system.in_formalism("newton_euler").accelerations(state)
    for name, value in b.items():
        assert a[name] == pytest.approx(value, abs=1e-8 * (1 + np.max(np.abs(value)))), name


@pytest.mark.parametrize(("tyres", "duration"), [((0.0, 0.0), 20.0), ((0.05, 0.03), 2.0)])
def test_energy_is_constant(tyres: tuple[float, float], duration: float) -> None:
    """Knife edges run on in their stable range; on these tyres the bicycle capsizes, which takes a few seconds."""
    run = benchmark(*tyres).build().simulate(duration, {"speed": 4.6, "roll_rate": 0.5})
    energy = run.energy.total
    assert run.ok
    assert np.max(np.abs(energy / energy[0] - 1)) < 1e-9
    for contact in ("rear", "front"):
        for slip in ("slip_x", "slip_y"):
            assert np.max(np.abs(run.values(f"{contact}.{slip}"))) < 1e-10
    assert np.max(np.abs(run.values("front.gap"))) < 1e-12


@pytest.mark.parametrize("tyres", [(0.0, 0.0), (0.02, 0.015)])
def test_pitch_is_that_of_the_closed_form(tyres: tuple[float, float]) -> None:
    """The loop of the model against the quartic; z-up axes change the sign of steer and pitch."""
    system = benchmark(*tyres).build()
    geometry = Geometry(1.02, 0.08, np.pi / 10, 0.3, 0.35, *tyres)
    rng = np.random.default_rng(11)
    for roll, steer in [(np.radians(10), np.radians(20)), *rng.uniform(-0.8, 0.8, (6, 2))]:
        found = system.start({"roll": float(roll), "steer": float(-steer)}).q[4]
        assert geometry.tilt - found == pytest.approx(pitch(geometry, float(roll), float(steer)).pitch, abs=1e-12)


def test_hand_of_the_coordinates(system: tr.System) -> None:
    """Positive steer turns left, positive roll leans right, rolling forward is positive."""
    run = system.simulate(0.2, {"speed": 4.6, "steer": 0.1})
    assert run.values("yaw")[-1] > 0 and run.values("y")[-1] > 0
    lean = system.simulate(0.01, {"roll": 0.3})
    assert lean.values("rear frame.com_position_y")[0] < 0
    state = system.start({"speed": 4.6})
    names = system.formulation.layout.speed_names()
    assert state.u[names.index("rear hub.angle_rate")] == pytest.approx(4.6 / 0.3)


def test_a_fall_is_reported() -> None:
    """A wheel that lies flat is a singular pose of its chain, which the outcome states."""
    run = (
        benchmark()
        .build()
        .simulate(1.0, {"speed": 0.0, "roll": 1.56, "roll_rate": 0.1, "steer": 0.01}, steps=tr.Steps(most=3))
    )
    assert not run.ok
    assert "lies flat" in run.outcome and "'rear'" in run.outcome


def test_a_wheel_must_turn_about_the_axis_of_its_tyre() -> None:
    m = tr.Model("askew")
    frame, wheel = m.body("frame", 1.0, (1, 1, 1)), m.body("wheel", 1.0, (1, 1, 1))
    m.connect(tr.HigherPair(tr.Plane(), tr.Torus(0.3)), m.ground, frame, "contact", tr.NoSlip(), wheel=wheel)
    m.connect(tr.Revolute("x"), frame, wheel)
    with pytest.raises(tr.errors.ModelError, match="Revolute joint whose axis is the y axis"):
        m.build()


def test_short_names_in_runs_and_files(system: tr.System, tmp_path) -> None:
    run = system.simulate(0.5, {"speed": 4.6, "roll_rate": 0.5})
    for name in ("x", "y", "yaw", "roll", "pitch", "steer", "rear_angle", "front_angle", "roll_rate", "speed"):
        assert run[name].dims == ("time",)
    assert run.values("steer_rate") == pytest.approx(run.values("steering.angle_rate"))
    again = tr.load(run.save(tmp_path / "ride.nc"))
    assert again.values("roll") == pytest.approx(run.values("rear.roll"), abs=0)


def test_wheel_radii_may_be_parameters() -> None:
    """Sizes of a contact that closes the loop can be swept without building again."""
    m = tr.Model("sizes")
    radius = m.parameter("radius", 0.35, "m")
    frame, wheel = m.body("frame", 3.0, (1, 1, 1)), m.body("wheel", 1.0, (0.1, 0.2, 0.1))
    m.connect(tr.Planar("y"), m.ground, frame)
    m.connect(tr.Revolute("y"), frame, wheel)
    m.connect(tr.HigherPair(tr.Plane(), tr.Torus(radius, 0.02)), m.ground, wheel, "contact", tr.NoSlip())
    system = m.build()
    for value in (0.35, 0.5):
        found = system.simulate(0.1, {"wheel.angle_rate": 2.0}, {"radius": value})
        assert found.values("wheel.position")[-1, 2] == pytest.approx(value, abs=1e-12)


def test_what_is_not_given_stays_at_zero(system: tr.System) -> None:
    """Lean at speed: no rate of steer or roll appears that was not given."""
    state = system.start({"speed": 5.0, "roll": 0.1})
    names = system.formulation.layout.speed_names()
    for name in ("rear.roll_rate", "steering.angle_rate", "rear.pitch_rate"):
        assert abs(state.u[names.index(name)]) < 1e-12


def test_speed_is_along_the_heading(system: tr.System) -> None:
    linear = system.linearise({"speed": 5.0, "yaw": 1.0})
    for expected in AT_FIVE:
        assert np.min(np.abs(four(linear) - expected)) < 1e-8
    state = system.start({"speed": 5.0, "yaw": np.pi / 2})
    assert state.u[1] == pytest.approx(5.0) and state.u[0] == pytest.approx(0.0, abs=1e-12)


def test_a_pose_without_contact_is_refused(system: tr.System) -> None:
    with pytest.raises(tr.errors.AssemblyError, match="'front' cannot touch"):
        system.start({"roll": 1.4, "steer": 1.0})
