"""Contacts that stay closed and share loads decide one by one: a run tells where that may have been too early."""

import re
from functools import cache
from typing import Any

import numpy as np
import pytest
from tests.contact.test_rest import FEET, LOW, G

import trundle as tr
from trundle.errors import ModelError

MASS, MU = 10.0, 0.5
LIMIT = MU * MASS * G


@cache
def table(feet: int, unilateral: bool = False, formalism: str = "kane") -> tr.System:
    """A table pushed near its feet by `push` + `rise` t along x."""
    m = tr.Model("table")
    rise, push = m.parameter("rise", 0.0), m.parameter("push", 0.0)
    body = m.body("table", MASS, (1.0, 1.2, 1.5))
    for k, (x, y) in enumerate(FEET[feet]):
        pair = tr.HigherPair(tr.Plane(), tr.Vertex())
        m.connect(pair, m.ground, body.at(x, y, -0.7), f"f{k}", tr.Coulomb(MU, 0.4), unilateral=unilateral)
    m.apply(tr.Wrench(body.at(0, 0, LOW - 0.7), force=lambda s: (push + rise * s.t, 0, 0)))
    m.start = {"table.position": (0, 0, 0.7)}
    return m.build(formalism=formalism)


def told(run: Any) -> list[str]:
    return [text for text in run.warnings if "is statically indeterminate" in text]


@pytest.mark.parametrize("formalism", ["kane", "udwadia_kalaba", "newton_euler"])
def test_feet_that_slip_too_early_are_told(formalism: str) -> None:
    run = table(3, formalism=formalism).simulate(6.0, parameters={"rise": 10.0})
    first = run.events[0]
    assert run.ok and first.time < 0.9 * LIMIT / 10
    (text,) = told(run)
    assert text.startswith(f"Contact {first.contact!r} began to slip at t = {first.time:.9g} s.")
    assert all(repr(f"f{k}") in text for k in range(3))


@pytest.mark.parametrize(("part", "slips"), [(0.5, False), (0.93, True)])
def test_a_slip_from_the_start_is_told_too(part: float, slips: bool) -> None:
    run = table(3).simulate(0.5, parameters={"push": part * LIMIT})
    assert run.ok and bool(told(run)) == slips


def test_a_batch_tells_the_cases() -> None:
    cases = table(3).batch(4.0, {}, {"rise": np.array([1.0, 10.0])})
    # Two of the feet are alike: which of them slips first is left to round-off.
    assert list(cases.warnings) == [1] and re.match(r"Contact 'f[01]' began to slip", cases.warnings[1][0])


def test_feet_that_decide_together_are_right_and_nothing_is_told() -> None:
    run = table(3, unilateral=True).simulate(6.0, parameters={"rise": 10.0})
    assert run.events[0].time == pytest.approx(LIMIT / 10, rel=1e-8) and not told(run)


def test_slips_by_forces_that_are_determined_are_not_told() -> None:
    """Two pucks, each on a point of its own, joined by a spring."""
    m = tr.Model("pucks")
    pucks = [m.body(name, 1.0, 0.1) for name in ("one", "other")]
    for puck in pucks:
        m.connect(tr.HigherPair(tr.Plane(), tr.Vertex()), m.ground, puck, f"on {puck.name}", tr.Coulomb(0.3))
    m.apply(tr.SpringDamper(*pucks, 50.0, 0.0, 1.0))
    m.apply(tr.Wrench(pucks[1], force=lambda s: (10 * s.t, 0, 0)))
    m.start = {"other.position": (1, 0, 0)}
    run = m.build().simulate(1.0)
    assert {event.contact for event in run.events if event.kind == "slips"} == {"on one", "on other"}
    assert not told(run)


@pytest.mark.parametrize("formalism", ["kane", "udwadia_kalaba", "newton_euler"])
def test_a_contact_that_others_keep_closed_already_is_refused(formalism: str) -> None:
    with pytest.raises(ModelError, match=r"contact 'f\d' is kept closed by the other contacts .*unilateral=True"):
        table(4, formalism=formalism).simulate(1.0)
