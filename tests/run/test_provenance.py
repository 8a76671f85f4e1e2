"""The attributes of a run record how it was made, and are enough to repeat it."""

import json

import numpy as np

import trundle as tr
from trundle.run.provenance import as_json, provenance
from trundle.run.run import Run


def test_attributes_of_a_run(pendulum: Run) -> None:
    facts = provenance(pendulum)
    assert facts["title"] == "pendulum"
    assert facts["source"] == f"Trundle {tr.__version__}"
    assert facts["model_fingerprint"] == pendulum.formulation.spec.key
    assert (facts["method"], facts["rtol"], facts["formalism"]) == ("DormandPrince8", 1e-10, "kane")
    assert facts["count_steps"] == pendulum.trajectory.counts.steps
    assert json.loads(facts["parameters"]) == {"length": 0.8}
    assert facts["t_end"] == 3.0
    assert all(isinstance(value, str | int | float) for value in facts.values())


def test_stored_start_repeats_the_run(four_bar: Run) -> None:
    start = json.loads(provenance(four_bar)["start"])
    again = four_bar.system.simulate(1.0, start, samples=41)
    np.testing.assert_allclose(again.values("crank.angle"), four_bar.values("crank.angle"), rtol=1e-9)


def test_start_report_lists_the_values_found(four_bar: Run) -> None:
    assert "rocker.angle_rate: found" in provenance(four_bar)["start_report"]


def test_events_are_stored_in_their_order(pendulum: Run) -> None:
    events = json.loads(provenance(pendulum)["events"])
    assert len(events) >= 2
    assert [name for name, _ in events] == ["lowest"] * len(events)
    assert [t for _, t in events] == sorted(t for _, t in events)


def test_json_keeps_numbers() -> None:
    values = {"a": np.float64(0.1), "b": np.array([1 / 3, np.inf]), "c": np.int64(3)}
    assert json.loads(as_json(values)) == {"a": 0.1, "b": [1 / 3, np.inf], "c": 3}
