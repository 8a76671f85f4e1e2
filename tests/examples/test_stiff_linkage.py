"""The linkage whose coupler is a spring: the stiff method against the rows, and the explicit one where it can."""

import numpy as np
import pytest
from reference_rows import Case, cases, run_case, system

from trundle import examples
from trundle.run.run import Run

CASES = cases("stiff-four-bar")
ANGLES = {"theta1": "left.angle", "theta2": "right.angle"}
RATES = {"theta1_dot": "left.angle_rate", "theta2_dot": "right.angle_rate"}
EXTENSION = {"extension": "extension.displacement"}


def ids(one: Case) -> str:
    return f"{one.data['case']}-k{one.data['k']:.0e}-c{one.data['c']:.0e}"


def run_stiff(one: Case, rtol: float, method: str) -> Run:
    halves = one.data["case"] == "c_halves_kick"
    parameters = {"k": one.data["k"], "c": one.data["c"], "split": 0.5 if halves else 0.3}
    start = {"right.angle_rate": -1.1 if halves else -1.0}
    return run_case(system("stiff-four-bar"), one, rtol, method, start=start, parameters=parameters)


@pytest.mark.parametrize("one", CASES, ids=ids)
def test_the_stiff_method_agrees_with_the_reference(one: Case) -> None:
    """Ten seconds and five turns multiply the error of a step some thousand times."""
    for rtol, angle, rate in ((1e-6, 5e-3, 1e-2), (1e-8, 1e-4, 3e-4), (1e-10, 2e-6, 5e-6), (1e-12, 2e-8, 6e-8)):
        run = run_stiff(one, rtol, "stiff")
        assert one.largest_error(run, ANGLES) < angle
        assert one.largest_error(run, RATES) < rate
        assert one.largest_error(run, EXTENSION) < max(1e-1 * rtol, 1e-11)


@pytest.mark.parametrize("one", [c for c in CASES if c.data["k"] == 1e7], ids=ids)
def test_explicit_method_satisfies_the_constraints(one: Case) -> None:
    run = run_stiff(one, 1e-12, "explicit")
    assert one.largest_error(run, ANGLES | RATES) < 5e-9
    assert one.largest_error(run, ANGLES) < 1e-9
    assert one.largest_error(run, EXTENSION) < 1e-12


def test_as_the_file_runs_it() -> None:
    file = examples.load("stiff-four-bar")
    one = next(c for c in CASES if c.data["case"] == "b_split03" and c.data["k"] == 1e9 and c.data["c"] == 1e3)
    run = run_case(file.model.build(), one, file.run.rtol, file.run.method)
    assert one.largest_error(run, ANGLES) < 1e-5
    assert np.max(np.abs(run.values("extension.displacement"))) < 1e-7
