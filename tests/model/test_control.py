"""State spaces, controllers and steppers of models with inputs, against textbooks, SciPy and runs."""

import pickle
import warnings

import numpy as np
import pytest
from carts import INERTIA, LENGTH, M_CART, M_POLE, START, STATES, apart, system
from scipy.linalg import expm, solve_continuous_are
from scipy.signal import StateSpace as SciPyStateSpace
from scipy.signal import freqresp

import trundle as tr
from trundle.errors import FrozenTimeWarning, SolveError


def test_the_matrices_are_those_of_the_textbook_and_of_differences() -> None:
    linear = system().linearise({"pole.angle": 0.0})
    asked = ["cart.displacement", "pole.reaction_force_x", "cart.displacement_acceleration", "force"]
    space = linear.state_space(asked)
    D = (M_CART + M_POLE) * (INERTIA + M_POLE * LENGTH**2) - (M_POLE * LENGTH) ** 2
    assert space.states == STATES
    assert space.B[:, 0] == pytest.approx([0, 0, (INERTIA + M_POLE * LENGTH**2) / D, -M_POLE * LENGTH / D], abs=1e-14)
    assert space.D[:, 0] == pytest.approx([0, 1 - M_CART * space.B[2, 0], space.B[2, 0], 1], abs=1e-14)
    h = 1e-6
    for j, (name, step) in enumerate([*((n, {n: h}) for n in STATES), ("force", {})]):
        moved = []
        for sign in (1, -1):
            state = {**dict.fromkeys(STATES, 0.0), **{n: sign * v for n, v in step.items()}}
            found = system().accelerations(state, {"force": sign * h if name == "force" else 0.0})
            moved.append([found["pole.reaction_force"][0], found["cart.displacement_acceleration"]])
        slope = (np.array(moved[0]) - moved[1]) / (2 * h)
        exact = space.C[1:3, j] if name != "force" else space.D[1:3, 0]
        assert slope == pytest.approx(exact, abs=1e-8)


@pytest.mark.filterwarnings("ignore::scipy.signal.BadCoefficients")
def test_the_frequency_response_is_that_of_scipy() -> None:
    m = tr.Model("mass on a spring")
    u = m.input("push")
    body = m.body("b", mass=2.0, inertia=0.1)
    m.connect(tr.Prismatic("x"), m.ground, body, law=tr.Spring(50.0, 3.0) + tr.Motor(u))
    space = m.build().linearise().state_space(["b.displacement"])
    f = np.array([0.1, 0.8, 3.0])
    w = 2 * np.pi * f
    _, by_scipy = freqresp(SciPyStateSpace(*space), w)
    found = space.frequency_response(f)
    assert found.values[:, 0, 0] == pytest.approx(by_scipy, abs=1e-13)
    assert found.values[:, 0, 0] == pytest.approx(1 / (50 - 2 * w**2 + 3j * w), abs=1e-13)
    assert found.sel(output="b.displacement", input="push").dims == ("frequency",)


def test_loops_and_states_of_ones_own_have_their_rows_of_b() -> None:
    """A slider-crank with a filtered torque: B by differences of its rates on the constraints."""
    m = tr.Model("slider-crank")
    torque = m.input("torque", unit="N m")
    m.block(tr.FirstOrderLag(torque, time_constant=0.2), "motor")
    crank = m.body("crank", mass=1.0, com=(0.1, 0, 0), inertia=0.02)
    rod = m.body("rod", mass=0.5, com=(0.25, 0, 0), inertia=0.02)
    piston = m.body("piston", mass=0.4, inertia=0.01)
    m.connect(tr.Revolute("y"), m.ground, crank, law=tr.Spring(5.0, 0.1, rest=0.3))
    m.connect(tr.Revolute("y"), crank.at(0.2, 0, 0), rod)
    m.connect(tr.Prismatic("x"), m.ground, piston)
    m.connect(tr.Revolute("y"), rod.at(0.5, 0, 0), piston, name="pin")
    m.apply(tr.CoordinateForce("crank.angle", lambda s: s["motor.output"] + 0.5 * torque(s)), "drive")
    m.start = {"crank.angle": 0.3, "rod.angle": -0.5, "piston.displacement": 0.6}
    built = m.build()
    rest = built.equilibrium({"crank.angle": 0.3})
    space = built.linearise(rest).state_space(["piston.displacement_acceleration"])
    h = 1e-5
    rates = [built.accelerations(rest, {"torque": sign * h}) for sign in (1, -1)]
    for i, name in enumerate(space.states):
        if name.endswith("_rate"):
            wanted = name.removesuffix("_rate") + "_acceleration"
            slope = (rates[0][wanted] - rates[1][wanted]) / (2 * h)
        else:
            slope = 1 / 0.2 if name == "motor.output" else 0.0
        assert space.B[i, 0] == pytest.approx(slope, rel=1e-7, abs=1e-9)
    slope = (rates[0]["piston.displacement_acceleration"] - rates[1]["piston.displacement_acceleration"]) / (2 * h)
    assert space.D[0, 0] == pytest.approx(slope, rel=1e-7)


def test_a_rolling_wheel_leaves_its_place_out() -> None:
    m = tr.Model("disc")
    torque = m.input("torque")
    disc = m.body("disc", mass=1.0, inertia=(0.125, 0.25, 0.125))
    wheel = m.connect(tr.HigherPair(tr.Plane(), tr.Torus(0.5, 0.0)), m.ground, disc, law=tr.NoSlip())
    m.apply(tr.CoordinateForce(f"{wheel.name}.pitch", torque), "motor")
    built = m.build()
    linear = built.linearise({"disc.pitch_rate": 5.0})
    space = linear.state_space(["disc.pitch_rate"])
    assert (space.C @ space.B).item() == pytest.approx(1 / (0.25 + 0.25))
    with pytest.raises(SolveError, match=r"'disc.position_x' depends on .* leave out"):
        linear.state_space(["disc.position_x"])


def test_the_controlled_loop_has_the_eigenvalues_of_a_minus_b_k() -> None:
    A, B, _, _ = system().linearise({"pole.angle": 0.0}).state_space()
    K = B.T @ solve_continuous_are(A, B, np.diag([10.0, 10, 1, 1]), np.eye(1))
    m = tr.Model("controlled")
    push = m.input("push")
    cart = m.body("cart", mass=M_CART, inertia=0.1)
    pole = m.body("pole", mass=M_POLE, com=(0, 0, LENGTH), inertia=INERTIA)
    m.connect(tr.Prismatic("x"), m.ground, cart)
    m.connect(tr.Revolute("y"), cart, pole)
    feedback = lambda s: s["push"] - sum(float(k) * s[name] for k, name in zip(K[0], STATES, strict=True))  # noqa: E731
    m.apply(tr.CoordinateForce("cart.displacement", feedback), "controller")
    assert callable(push)
    linear = m.build().linearise({"pole.angle": 0.0})
    assert np.sort(linear.eigenvalues) == pytest.approx(np.sort(np.linalg.eigvals(A - B @ K)), abs=1e-10)
    # Sampled every 10 ms the same feedback is a linear map as long as the motion is small.
    dt, stepper = 0.01, system().stepper(1.0, {"pole.angle": 1e-4}, samples=101)
    held = expm(np.block([[A, B], [np.zeros((1, 5))]]) * dt)
    x = np.array([0, 1e-4, 0, 0])
    for k in range(100):
        stepper.set({"force": -K @ stepper.states(STATES)})
        assert stepper.advance((k + 1) * dt).name == "FINISHED"
        x = held[:4, :4] @ x - held[:4, 4:] @ (K @ x)
    assert stepper.states(STATES) == pytest.approx(x, abs=1e-10)


def test_a_stepped_run_is_the_run_with_the_staircase() -> None:
    levels = np.random.default_rng(3).normal(size=10)
    stepper = system().stepper(1.0, START, samples=11)
    for k, level in enumerate(levels):
        stepper.set({"force": level})
        stepper.advance((k + 1) / 10)
    run = stepper.run()
    stairs = tr.Table(np.arange(11) / 10, [*levels, levels[-1]], between="previous")
    whole = system().simulate(1.0, START, inputs={"force": stairs}, samples=11)
    assert apart(run, whole) < 1e-9 and run.ok
    assert run.values("force") == pytest.approx(whole.values("force"), abs=0)
    assert run.values("energy.work_in")[-1] == pytest.approx(whole.values("energy.work_in")[-1], abs=1e-9)
    again = pickle.loads(pickle.dumps(run))
    assert again.values("pole.reaction_force_x") == pytest.approx(run.values("pole.reaction_force_x"), abs=0)


def test_a_stepper_returns_to_a_saved_state() -> None:
    stepper = system().stepper(1.0, START, inputs={"force": 0.2})
    stepper.advance(0.4)
    saved = stepper.save()
    ends = []
    for force in (1.0, -1.0, 1.0):
        stepper.restore(saved)
        assert (stepper.time, stepper["force"]) == (0.4, 0.2)
        stepper.set({"force": force})
        stepper.advance(1.0)
        ends.append(stepper["pole.angle"])
    assert ends[0] == ends[2] != ends[1]


def test_a_stepped_block_sticks_until_it_is_pushed_hard_enough() -> None:
    """Friction holds 2 N and slides with 1.5 N: at rest under 1.9 N, then (3 - 1.5) / 1 m/s^2."""
    m = tr.Model("block")
    push = m.input("push", 1.9, "N")
    block = m.body("block", mass=1.0, inertia=0.1)
    upright = dict.fromkeys(("roll_x", "roll_y", "spin"), tr.Locked())
    law = {"friction": tr.Coulomb(2.0 / 9.81, 1.5 / 9.81), **upright}
    m.connect(tr.HigherPair(tr.Plane(), tr.Sphere(0.1)), m.ground, block, name="foot", law=law)
    m.apply(tr.Wrench(block, force=lambda s: (push(s), 0, 0)), "hand")
    m.event("moved", lambda s: s["block.position_x"] - 0.5, action="stop")
    stepper = m.build().stepper(5.0)
    stepper.advance(1.0)
    assert stepper["block.position_x"] == pytest.approx(0.0, abs=1e-15)
    stepper.set({"push": 3.0})
    assert stepper.advance(5.0).name == "EVENT_STOP"
    assert stepper.time == pytest.approx(1 + np.sqrt(2 * 0.5 / 1.5), abs=1e-9)
    with pytest.raises(SolveError, match="the run has ended"):
        stepper.advance(5.0)
    run = stepper.run()
    assert run.outcome.startswith("EVENT_STOP") and run.events[0][1] == pytest.approx(1.0)


def turntable() -> tr.Model:
    """A mass on a spring in the slot of a table that turns evenly; a force along the slot, another along the ground."""
    m = tr.Model("turntable", gravity=(0, 0, 0))
    along, across = m.input("along"), m.input("across")
    table = m.moving_frame("table", rotation=lambda s: ("z", 0.8 * s.t))
    mass = m.body("mass", mass=1.5, inertia=0.1)
    m.connect(tr.Prismatic("x"), table, mass, name="slot", law=tr.Spring(20.0, 0.4))
    m.apply(tr.CoordinateForce("slot.displacement", lambda s: along(s)), "push")
    m.apply(tr.Wrench(mass, force=lambda s: (across(s), 0, 0)), "wind")
    return m


def test_inputs_and_outputs_along_axes_of_the_ground_in_a_frame_that_turns_are_reported() -> None:
    linear = turntable().build().linearise({"slot.displacement": 0.0})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        space = linear.state_space(["slot.displacement", "slot.displacement_rate", "slot.reaction_force_z"], ["along"])
    assert space.B[1, 0] == pytest.approx(1 / 1.5)
    with pytest.warns(FrozenTimeWarning, match="'across' enters .* at t = 0 s"):
        linear.state_space(inputs=["across"])
    with pytest.warns(FrozenTimeWarning, match=r"'slot\.reaction_force_x' enters"):
        linear.state_space(["slot.reaction_force_x"], ["along"])
