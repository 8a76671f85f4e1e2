"""A law of friction with a mode of its own: two classes; the time loop, starts, batches and result files support it."""

import copy
import pickle
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np
import pytest

import trundle as tr
from trundle.contact.modes.find import mode_states, transitions
from trundle.contact.modes.mode import Mode, Transition
from trundle.laws.friction_law import FrictionLaw

G, HIGH, LOW, UP, DOWN = 9.81, 0.5, 0.2, 1.0, 0.4


class Glaze(Mode):
    """glazed: 1 from a slip above `up` until one below `down`."""

    states = ("glazed",)

    def transitions(self, together: bool) -> Sequence[Transition]:
        return [Transition(self.connection.name, kind) for kind in ("glazes", "recovers")]

    def value(self, kind: str, at: Any, bonds: Any) -> Any:
        glazed, speed = bonds.modes["glazed"], ca.norm_2(ca.vertcat(*[bonds.rate(n) for n in self.connection.sliding]))
        if kind == "glazes":
            return ca.if_else(glazed == 1, 1, self.law.up - speed)
        return ca.if_else(glazed == 1, speed - self.law.down, 1)

    def jump(self, kind: str, at: Any, bonds: Any, u: Any, p: Any) -> Any:
        return at.put(p, bonds, glazed=1 if kind == "glazes" else 0)

    def settle(self, at: Any, bonds: Any, u: Any, p: Any) -> Any:
        return at.put(p, bonds, glazed=ca.norm_2(at.slip(bonds, u, p)) > self.law.up)


@dataclass(frozen=True)
class Glazing(FrictionLaw):
    """Friction that falls when the contact gets hot and comes back when it has cooled, with a hysteresis."""

    high: float = HIGH
    low: float = LOW
    up: float = UP  # m/s
    down: float = DOWN  # m/s

    @property
    def modes(self) -> tuple[type[Mode], ...]:
        return (Glaze,)

    def coefficient(self, s: Any, speed: Any, rolling: Any) -> Any:
        return tr.where(s.mode("glazed") == 1, self.low, self.high) * tr.tanh(speed / 1e-4)


def block(unilateral: bool = False) -> tr.Model:
    """A mass that slides on a floor without turning, pushed along x."""
    m = tr.Model("block")
    push = m.parameter("push", 0.0, "N")
    body = m.body("block", mass=2.0, inertia=(0.1, 0.1, 0.1))
    m.connect(
        tr.HigherPair(tr.Plane(), tr.Vertex()), m.ground, body, name="floor", law=Glazing(), unilateral=unilateral
    )
    m.apply(tr.Wrench(body, force=lambda s: (push, 0, 0)))
    return m


@pytest.fixture(scope="module", params=[False, True], ids=["never opens", "may open"])
def system(request: pytest.FixtureRequest) -> tr.System:
    return block(request.param).build()


def test_numbers_and_transitions_are_those_of_the_mode(system: tr.System) -> None:
    assert mode_states(system.model)[0].name == "floor.glazed"
    assert [t.name for t in transitions(system.model)][:2] == ["floor glazes", "floor recovers"]


def test_a_thrown_block_recovers_at_the_closed_form_time(system: tr.System) -> None:
    """It starts glazed, at 2 m/s in a direction of its own, and friction comes back at `down`."""
    along = np.array([0.6, -0.8, 0.0])
    run = system.simulate(0.85, {"block.velocity": 2.0 * along}, rtol=1e-11)
    assert run.ok and [name for name, _ in run.events] == ["floor recovers"]
    t = (2.0 - DOWN) / (LOW * G)
    assert run.events[0][1] == pytest.approx(t, abs=1e-9)
    speed = DOWN - HIGH * G * (0.85 - t)
    np.testing.assert_allclose(run.values("block.velocity")[-1], speed * along, atol=1e-8)


def test_a_pushed_block_glazes_and_a_weaker_push_does_not(system: tr.System) -> None:
    push = np.array([11.0, 9.0])  # N, above and below what friction holds
    first = push[0] / 2.0 - HIGH * G
    runs = [system.simulate(2.0, {}, {"push": p}, rtol=1e-11) for p in push]
    assert runs[0].events[0] == ("floor glazes", pytest.approx(UP / first, rel=1e-3))  # but for tanh at the start
    after = runs[0].values("block.acceleration")[-1][0]
    assert after == pytest.approx(push[0] / 2.0 - LOW * G, rel=1e-12) and not runs[1].events
    batch = system.batch(2.0, {}, {"push": push}, rtol=1e-11)
    for i, run in enumerate(runs):
        assert [n for n, _ in batch.events[i]] == [n for n, _ in run.events]
        ends = batch.end("block.velocity")[i], run.values("block.velocity")[-1]
        np.testing.assert_allclose(*ends, atol=1e-8)


def test_energy_and_friction_are_audited_through_the_transitions(system: tr.System) -> None:
    run = system.simulate(1.0, {"block.velocity": (2.0, 0.0, 0.0)})
    assert run.energy.drift < 1e-9 and np.min(run.values("floor.friction_power")) >= -1e-12


def test_systems_with_it_are_copied_and_pickled(system: tr.System) -> None:
    for twin in (copy.deepcopy(system), pickle.loads(pickle.dumps(system))):
        assert twin.spec == system.spec


def test_a_misspelt_mode_is_reported() -> None:
    class Misspelt(Glazing):
        def coefficient(self, s: Any, speed: Any, rolling: Any) -> Any:
            return s.mode("glased")

    m = block()
    m.connect(tr.HigherPair(tr.Plane(), tr.Vertex()), m.ground, m.body("b", 1.0, 0.1), name="other", law=Misspelt())
    with pytest.raises(tr.TrundleError, match=r"'glased'.*glazed"):
        m.build()
