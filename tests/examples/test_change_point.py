"""The linkage that folds flat: every run must leave each fold on the right branch."""

import numpy as np
import pytest
from reference_rows import Case, cases, run_case, system

import trundle as tr
from trundle.errors import AssemblyError
from trundle.run.run import Run

SPEEDS = cases("change-point-four-bar")
COLUMNS = {"theta": "crank.angle", "theta_dot": "crank.angle_rate", "beta_dot": "rocker.angle_rate"}
CONTRACTION = np.sqrt(1.2 / 1.43)


def ids(one: Case) -> str:
    return f"speed{one.data['omega0']}"


def distance_from_branch(run: Run) -> float:
    """Largest residual of sin(gamma/2) = sqrt(1.2/1.43) sin(theta/2), gamma the angle between coupler and rocker."""
    theta = run.values("crank.angle")
    gamma = run.values("rocker.angle") - theta - run.values("coupler.angle")
    return float(np.max(np.abs(np.sin(gamma / 2) - CONTRACTION * np.sin(theta / 2))))


@pytest.mark.parametrize("method", ["order5", "order8"])
@pytest.mark.parametrize("exponent", range(5, 12))
@pytest.mark.parametrize("one", SPEEDS, ids=ids)
def test_branch_without_gravity(one: Case, exponent: int, method: str) -> None:
    start = {"crank.angle_rate": one.data["omega0"]}
    run = run_case(system("change-point-four-bar"), one, 10.0**-exponent, method, start=start)
    assert one.errors(run, {"theta": "crank.angle"})["theta"] < 0.2
    assert distance_from_branch(run) < 1e-9
    assert len(run.near_singular) == len(one.data["fold_times"])
    assert run.energy.kinetic[0] == pytest.approx(one.data["kinetic_energy"], rel=1e-13)
    if exponent == 11:
        assert abs(run.values("crank.angle")[-1] - one.column("theta")[-1]) < 1e-7


@pytest.mark.parametrize(("method", "rtol", "bound"), [("order8", 1e-12, 1e-9), ("order5", 1e-11, 1e-8)])
@pytest.mark.parametrize("one", SPEEDS, ids=ids)
def test_rows_at_a_tight_tolerance(one: Case, method: str, rtol: float, bound: float) -> None:
    start = {"crank.angle_rate": one.data["omega0"]}
    run = run_case(system("change-point-four-bar"), one, rtol, method, start=start)
    assert one.errors(run, COLUMNS)["theta"] < bound


@pytest.mark.parametrize("method", ["order5", "order8"])
@pytest.mark.parametrize("one", SPEEDS, ids=ids)
def test_folds_are_reported(one: Case, method: str) -> None:
    run = run_case(system("change-point-four-bar"), one, 1e-11, method, start={"crank.angle_rate": one.data["omega0"]})
    assert [loop for loop, _, _ in run.near_singular] == ["C"] * len(one.data["fold_times"])
    assert [t for _, t, _ in run.near_singular] == pytest.approx(one.data["fold_times"], abs=1e-6)


@pytest.mark.parametrize("method", ["order5", "order8"])
@pytest.mark.parametrize("exponent", range(5, 12))
@pytest.mark.parametrize("speed", [-1.0, -2.5, -4.0])
def test_branch_with_gravity(speed: float, exponent: int, method: str) -> None:
    tolerance = 10.0**-exponent
    run = system("change-point-four-bar").simulate(
        10.0,
        {"crank.angle_rate": speed},
        {"g": 9.81},
        method=method,
        rtol=tolerance,
        atol=tolerance,
        steps=tr.Steps(most=100_000),
    )
    assert run.ok, run.outcome
    assert distance_from_branch(run) < 1e-9
    assert run.energy.drift < max(1e3 * tolerance, 2e-7)
    turns = np.floor(run.values("crank.angle") / (2 * np.pi))  # the linkage lies flat at every whole turn
    assert len(run.near_singular) == np.count_nonzero(np.diff(turns)) >= 2


def test_start_in_the_fold_is_refused() -> None:
    folded = {"crank.angle": 0.0, "coupler.angle": 0.0, "rocker.angle": 0.0}
    with pytest.raises(AssemblyError, match=r"start pose is singular.*several branches"):
        system("change-point-four-bar").simulate(1.0, folded)


def stiff_error(speed: float, gravity: float, tolerance: float) -> float:
    """Largest error of the crank's angle in a run by the stiff method."""
    given = ({"crank.angle_rate": speed}, {"g": gravity})
    one = system("change-point-four-bar")
    exact = one.simulate(10.0, *given, rtol=1e-12, atol=1e-12)
    run = one.simulate(10.0, *given, method="stiff", rtol=tolerance, atol=tolerance)
    assert run.ok, run.outcome
    return float(np.max(np.abs(run.values("crank.angle") - exact.values("crank.angle"))))


@pytest.mark.parametrize("tolerance", [1e-7, 3.2e-10, 1.8e-11])
@pytest.mark.parametrize(("speed", "gravity"), [(-1.0, 0.0), (-4.0, 0.0), (-2.5, 9.81)])
def test_the_stiff_method_goes_through_folds(speed: float, gravity: float, tolerance: float) -> None:
    assert stiff_error(speed, gravity, tolerance) < 1e3 * tolerance + 1e-8


@pytest.mark.slow
@pytest.mark.parametrize("tolerance", np.logspace(-5, -11, 25))
@pytest.mark.parametrize("gravity", [0.0, 9.81])
@pytest.mark.parametrize("speed", [-1.0, -1.7, -2.5, -4.0, 3.0])
def test_the_stiff_method_goes_through_folds_at_every_tolerance(speed: float, gravity: float, tolerance: float) -> None:
    assert stiff_error(speed, gravity, tolerance) < 1e4 * tolerance + 1e-6  # as for explicit methods
