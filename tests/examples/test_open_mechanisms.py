"""Examples without loops: pendulum, governor, free body, top, chain."""

import math

import numpy as np
import pytest
from reference_rows import Case, case, cases, reference, run_case, system

from trundle import examples
from trundle.system import System

GOVERNOR = {
    "psi": "shaft.angle",
    "s": "sleeve.displacement",
    "alpha": "right arm.angle",
    "psi_dot": "shaft.angle_rate",
    "s_dot": "sleeve.displacement_rate",
    "alpha_dot": "right arm.angle_rate",
}
RATES = {"w1": "nut.angular_rate_x", "w2": "nut.angular_rate_y", "w3": "nut.angular_rate_z"}
NUT = RATES | {f"q{i}": f"nut.quaternion_{a}" for i, a in enumerate("wxyz")}
CENTRE = {f"com{a}": f"top.com_position_{a}" for a in "xyz"}
TOP = CENTRE | {f"q{i}": f"top.quaternion_{a}" for i, a in enumerate("wxyz")}
PENDULUM = {"theta": "pivot.angle", "theta_dot": "pivot.angle_rate"}


def ids(one: Case) -> str:
    return str(one.data["case"])


@pytest.mark.parametrize(("rtol", "bound"), [(1e-6, 1e-3), (1e-10, 1e-8), (1e-13, 1e-10)])
def test_pendulum(rtol: float, bound: float) -> None:
    one = case("simple-pendulum")
    run = run_case(system("simple-pendulum"), one, rtol)
    assert one.largest_error(run, PENDULUM) < bound
    bob = run.values("bar.com_position")[1:]
    assert np.max(np.abs(bob[:, :2] - np.column_stack([one.column("x"), one.column("y")]))) < bound


def test_pendulum_returns_after_its_period() -> None:
    period = reference("simple-pendulum")["period"]
    run = system("simple-pendulum").simulate(period, rtol=1e-13, atol=1e-13, samples=[0.0, period])
    assert run.values("pivot.angle")[-1] == pytest.approx(math.pi, abs=1e-11)
    assert run.values("pivot.angle_rate")[-1] == pytest.approx(0.0, abs=1e-10)


@pytest.mark.parametrize("method", ["stiff", "explicit"])
@pytest.mark.parametrize("one", cases("flyball-governor"), ids=ids)
def test_governor(one: Case, method: str) -> None:
    start = {"shaft.angle_rate": one.data["omega0"]}
    parameters = {"k": one.data["k"], "c": one.data["c"]}
    run = run_case(system("flyball-governor"), one, 1e-12, method, start=start, parameters=parameters)
    assert one.largest_error(run, GOVERNOR) < 1e-9
    mirror = run.values("left arm.angle") - run.values("right arm.angle")
    assert np.max(np.abs(mirror)) < 1e-11


def test_governor_as_the_file_runs_it() -> None:
    file = examples.load("flyball-governor")
    one = case("flyball-governor", "stiff")
    run = run_case(file.model.build(), one, file.run.rtol, file.run.method)
    assert one.scaled_error(run, GOVERNOR) < 5 * file.run.rtol
    assert run.energy.drift < 1e-8


@pytest.mark.parametrize(("rtol", "bound"), [(1e-10, 1e-8), (1e-12, 1e-9)])
def test_free_body(rtol: float, bound: float) -> None:
    one = case("dzhanibekov")
    assert one.largest_error(run_case(system("dzhanibekov"), one, rtol), NUT) < bound


def test_free_body_turns_over_at_the_exact_time() -> None:
    flip = reference("dzhanibekov")["first_zero_of_w2"]
    run = system("dzhanibekov").simulate(flip, rtol=1e-12, atol=1e-12, samples=[0.0, flip])
    assert run.values("nut.angular_rate_y")[-1] == pytest.approx(0.0, abs=1e-10)


def top(one: Case) -> System:
    """The top with the start values of a case, set through its parameters."""
    w, x, _, _ = one.data["initial"]["quaternion_wxyz"]
    _, spin, rate = one.data["initial"]["omega_body"]
    return examples.load("heavy-top", {"lean": 2 * math.atan2(x, w), "spin": spin, "rate": rate}).model.build()


@pytest.mark.parametrize("one", cases("heavy-top"), ids=ids)
def test_top(one: Case) -> None:
    quantities = TOP if "q0" in one.data["columns"] else CENTRE
    assert one.largest_error(run_case(top(one), one, 1e-10), quantities) < 1e-8
    assert one.largest_error(run_case(top(one), one, 1e-12), quantities) < 1e-9


def test_top_nutates_as_published() -> None:
    run = top(case("heavy-top", "nutating")).simulate(0.2, samples=[0.0, 0.2])
    published = reference("heavy-top")["published"]["quaternion"]
    assert run.values("top.quaternion")[-1] == pytest.approx(published, abs=5.1e-6)


@pytest.mark.parametrize("n", [5, 20, pytest.param(100, marks=pytest.mark.slow)])
def test_chain_keeps_its_energy(n: int) -> None:
    run = system("chain", n=n).simulate(10.0)
    assert run.ok, run.outcome
    assert run.energy.drift < 1e-9
    assert np.ptp(run.values("link0.angle")) > 1.0  # it swings


@pytest.mark.parametrize("friction", [1.2, 0.2])
def test_governed_engine(friction: float) -> None:
    """Speed by cos(lift) = g / (l w^2) where the torque is the load; eigenvalues of the equations written by hand."""
    engine, l, ball, inertia, gain, lag, load = examples.model("governed-engine").build(), 0.3, 1.5, 6.0, 300, 0.15, 20
    changed = {"friction": friction}
    start = {"speed": 6.5, "lift": 0.75, "left arm.angle": 0.75}
    motion = engine.steady({}, start, changed)
    c = 1 - (40 - load) / (gain * l)
    w, s = np.sqrt(9.81 / (l * c)), np.sqrt(1 - c**2)
    assert abs(motion["shaft.angle_rate"] - w) < 1e-11 and abs(motion["right arm.angle"] - np.arccos(c)) < 1e-11
    assert abs(motion["engine.output"] - load) < 1e-10
    ml2 = ball * l**2
    J, damping = inertia + 2 * ml2 * s**2, friction / ml2
    together = [  # of (lift, its rate, speed, torque)
        [0, 1, 0, 0],
        [-((w * s) ** 2), -damping, 2 * w * s * c, 0],
        [0, -4 * ml2 * s * c * w / J, 0, 1 / J],
        [-gain * l * s / lag, 0, 0, -1 / lag],
    ]
    against = np.roots([1, damping, (w * s) ** 2])
    exact = np.concatenate([np.linalg.eigvals(together), against])
    linear = engine.linearise(motion, changed)
    assert linear.steady and linear.cyclic == ("shaft.angle",)
    assert max(np.min(np.abs(linear.eigenvalues - value)) for value in exact) < 1e-9
    assert bool(np.max(exact.real) < 0) == (friction > 1)  # with too little friction it hunts
