"""Events may not assign a parameter a value that is invalid at the start of a run."""

from collections.abc import Callable
from typing import Any

import pytest

import trundle as tr
from trundle.errors import ModelError
from trundle.system import System


def flywheel(new: Callable[[Any], Any]) -> System:
    """A wheel whose moment of inertia is changed by an event at 0.5 s."""
    m = tr.Model("flywheel", gravity=(0, 0, 0))
    inertia = m.parameter("inertia", 1.5)
    worse = m.parameter("worse", 0.0)
    wheel = m.body("wheel", mass=1, inertia=(1, 1, inertia))
    m.connect(tr.Revolute("z"), m.ground, wheel)
    m.start = {"wheel.angle_rate": 1.0}
    m.event("change", lambda s: s.t - 0.5, action={"inertia": lambda s: new(worse)})
    return m.build()


def test_a_negative_inertia_by_an_event_is_refused_by_name() -> None:
    run = flywheel(lambda worse: -1.0).simulate(1.0)
    assert run.outcome.startswith("EVENT_REFUSED") and not run.ok
    for word in ("'change'", "t = 0.5 s", "body 'wheel'", "negative (-1 kg m^2)"):
        assert word in run.outcome


def test_nan_is_refused_too() -> None:
    assert "parameter 'inertia' must be finite" in flywheel(lambda worse: 1 / worse).simulate(1.0).outcome


def test_possible_values_pass() -> None:
    assert flywheel(lambda worse: 1.2).simulate(1.0).ok


def test_only_the_bad_case_of_a_batch_is_refused() -> None:
    batch = flywheel(lambda worse: 1.2 - worse).batch(1.0, parameters={"worse": [0.0, 3.0, 0.1]})
    assert [str(o) for o in batch.outcomes] == ["FINISHED", "EVENT_REFUSED", "FINISHED"]
    assert "negative (-1.8 kg m^2)" in batch.messages[1]


def test_invalid_results_of_a_function_are_refused_at_once() -> None:
    m = tr.Model("flywheel", gravity=(0, 0, 0))
    wheel = m.body("wheel", mass=m.parameter("mass", 1.0), inertia=(1, 1, 1))
    m.connect(tr.Prismatic("z"), m.ground, wheel)
    m.event("now", lambda s: s.t - 0.5)
    with pytest.raises(ModelError, match=r"t = 0\.5 s: body 'wheel': mass -1 kg is negative"):
        m.build().simulate(1.0, on_event=lambda name, t, state: {"mass": -1.0})
