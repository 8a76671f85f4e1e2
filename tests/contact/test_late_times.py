"""Contacts late in a run, where steps may be hardly longer than what the clock resolves: they move as they do early in
it."""

from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from tests.contact.test_flat_ends import can, throws_of_a_coin, turned
from tests.contact.test_rest import box, comes_to_rest, throw

import trundle as tr
from trundle.run.provenance import provenance

LATE = 1e5  # s


@cache
def thrown(number: int, t0: float) -> tr.Run:
    rng = np.random.default_rng(5)
    starts = [throw(rng, 4) for _ in range(number + 1)]
    return box(4).simulate(1.0, starts[number], t0=t0, samples=51)


@pytest.mark.parametrize("number", [1, 2, 4, 9])
def test_boxes_thrown_late_come_to_rest(number: int) -> None:
    """What stops in a step that is shorter than 1e-12 of the time is all that happens there."""
    early, late = (thrown(number, t0) for t0 in (0.0, LATE))
    comes_to_rest(late, ["box"], [f"c{k}" for k in range(4)])
    np.testing.assert_allclose(late.values("box.position")[-1], early.values("box.position")[-1], atol=1e-6)


def test_a_coin_slides_and_wobbles_late_as_it_does_early() -> None:
    start = {"can.position": (0, 0, 0.03), "can.quaternion": turned(0.3, 0.4), "can.angular_velocity": (1, 2, -3)}
    early, late = (can(3, 0.006).simulate(0.5, start, {"e": 0.0}, t0=t0, samples=2) for t0 in (0.0, 1e3))
    assert late.ok and [name for name, _ in late.events] == [name for name, _ in early.events]


@cache
def pressed(number: int, t0: float) -> tr.Run:
    return can(3, 0.006).simulate(1.0, throws_of_a_coin(number + 1)[number], {"e": 0.1}, t0=t0, samples=3)


def met(run: tr.Run) -> list[Any]:
    """Events, without the last bounces of a landing: how many there are above the speed of rest is round-off."""
    events = list(run.events)
    again = [b.name == a.name and b.time - a.time < 1e-8 for a, b in pairwise(events)]
    return [e for e, one_more in zip(events, [False, *again], strict=True) if not one_more]


@pytest.mark.parametrize("number", [1, 3, 7])
@pytest.mark.parametrize("t0", [1e4, 1e5])
def test_the_last_of_a_slip_may_be_shorter_than_the_clock_resolves(number: int, t0: float) -> None:
    """A rim that is pressed with many times the weight stops within 1e-12 s: steps go on below the last digit."""
    early, late = pressed(number, 0.0), pressed(number, t0)
    assert late.ok and len(early.events) > 50
    first, later = (met(run)[:100] for run in (early, late))  # more are as sensitive as the clock is coarse
    assert [e.name for e in later] == [e.name for e in first]
    np.testing.assert_allclose([e.time - t0 for e in later], [e.time for e in first], rtol=0, atol=1e-8)
    facts = [provenance(run) for run in (early, late)]
    assert facts[1]["count_steps"] < 1.1 * facts[0]["count_steps"]


def test_slow_slips_are_met_late_in_as_many_steps_as_early() -> None:
    """Their event is steep: it is found although the clock does not resolve the time between its two sides."""
    attempts = []
    for t0 in (0.0, 0.1 * LATE):
        facts = provenance(thrown(10, t0))
        attempts.append(facts["count_steps"] + facts["count_rejected"])
    assert attempts[1] <= attempts[0] + 2
