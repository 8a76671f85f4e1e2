"""Garbage collection is paused while equations are derived."""

import gc
from collections.abc import Iterator

import pytest

import trundle as tr
from trundle.garbage_collection import paused_garbage_collection


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    was_on = gc.isenabled()
    yield
    (gc.enable if was_on else gc.disable)()


@pytest.mark.parametrize("is_on", [True, False])
def test_garbage_collection_is_on_or_off_afterwards_as_before(is_on: bool) -> None:
    (gc.enable if is_on else gc.disable)()
    with paused_garbage_collection():
        assert not gc.isenabled()
        with pytest.raises(ValueError), paused_garbage_collection():
            raise ValueError
        assert not gc.isenabled()
    assert gc.isenabled() == is_on


@pytest.fixture
def unfrozen() -> Iterator[None]:
    was_frozen = gc.get_freeze_count() > 0
    gc.unfreeze()
    gc.enable()
    yield
    (gc.freeze if was_frozen else gc.unfreeze)()


def test_what_lasts_is_among_the_oldest_objects(unfrozen: None) -> None:
    for lasting, generation in ((False, 0), (True, 2)):
        with paused_garbage_collection(lasting):
            made: list[object] = [[]]
        assert any(one is made for one in gc.get_objects(generation)), lasting
    assert gc.isenabled() and not gc.get_freeze_count()


def test_what_others_have_frozen_stays_frozen(unfrozen: None) -> None:
    gc.freeze()
    with paused_garbage_collection(lasting=True):
        pass
    assert gc.get_freeze_count()


def test_builds_and_runs_that_fail_leave_it_on() -> None:
    gc.enable()
    seen = []

    def torque(t: float, q: float, u: float) -> float:
        seen.append(gc.isenabled())
        return -q

    m = tr.Model("swing")
    m.connect(tr.Revolute("y"), m.ground, m.body("bob", mass=1.0, com=(0, 0, -1)), law=tr.Motor(torque))
    system = m.build()
    assert seen and not any(seen) and gc.isenabled()
    system.simulate(0.1, method="stiff")
    assert gc.isenabled()
    with pytest.raises(tr.TrundleError):
        m.build(formalism="lagrange")
    assert gc.isenabled()
