"""The motion of a machine does not depend on the axes it is described in."""

from collections.abc import Callable
from functools import lru_cache

import numpy as np
import pytest
from tests.equations.linkages import LINKAGES
from tests.equations.mechanisms import MECHANISMS
from tests.equations.random_states import random_state
from tests.equations.reposed import Posed

import trundle as tr
from trundle.errors import ModelError
from trundle.system import System

MODELS: dict[str, Callable[[], tr.Model]] = (
    {f"example {name}": (lambda name=name: tr.examples.load(name).model) for name in tr.examples.names()}  # type: ignore[misc]
    | {name: made for name, (made, _) in MECHANISMS.items()}
    | LINKAGES
)
QUICK = ["carried four-bar", "slider-crank, slide driven", "closed by Prismatic", "Bennett", "example two-hinge-door"]
QUICK += [f"example {name}" for name in ("governed-engine", "following-frame", "rattleback", "satellite")]

FORMALISMS = ("kane", "udwadia_kalaba", "newton_euler")


def state_of(name: str, system: System) -> dict[str, object]:
    return random_state(system, np.random.default_rng(3), 0.1) if name in MECHANISMS else {}


@lru_cache(maxsize=1)
def described(name: str) -> System:
    """As it is written; formalisms and seeds share it."""
    return MODELS[name]().build("kane")


@lru_cache(maxsize=1)
def described_otherwise(name: str, seed: int) -> tuple[Posed, System]:
    posed = Posed(MODELS[name](), seed, far=2 * described(name).formulation.length)
    return posed, posed.model.build("kane")


def both(name: str, seed: int, formalism: str) -> tuple[System, Posed, System]:
    """The system, the moved frames, and the moved system; both are refused, or neither."""
    posed, moved = described_otherwise(name, seed)
    try:
        reference = described(name).in_formalism(formalism)
        _ = reference.mobility
    except ModelError as refusal:
        with pytest.raises(ModelError) as again:
            _ = moved.in_formalism(formalism).mobility
        assert str(again.value).split("(")[0] == str(refusal).split("(")[0]
        pytest.skip(f"refused in both descriptions: {refusal}")
    return reference, posed, moved.in_formalism(formalism)


def the_same(name: str, seed: int, formalism: str = "kane") -> tuple[System, Posed, System]:
    """Freedoms; accelerations of all coordinates, which are measured along the axes of the joints; angular
    accelerations of all bodies.
    """
    reference, posed, system = both(name, seed, formalism)
    a, b = reference.mobility, system.mobility
    assert (a.freedoms, a.configuration, len(a.redundant)) == (b.freedoms, b.configuration, len(b.redundant))
    assert [len(names) for names in a.exchanged] == [len(names) for names in b.exchanged]
    assert system.formulation.length == pytest.approx(reference.formulation.length, rel=1e-12)
    state = state_of(name, reference)
    old, new = reference.accelerations(state), system.accelerations(state)
    joints = set(MODELS[name]().connections)  # beside them bodies float, in axes of the ground
    of_joints = [c for c in reference.formulation.layout.coordinates if c.name.partition(".")[0] in joints]
    names = [c.acceleration_name for c in of_joints if c.acceleration_name in old]
    turns = [f"{body.name}.angular_acceleration" for body in reference.model.free_bodies]
    scale = max([1.0, *(float(np.max(np.abs(old[k]))) for k in (*names, *turns))])
    for k in (*names, *turns):
        expected = posed.R @ old[k] if k in turns else old[k]
        np.testing.assert_allclose(new[k], expected, rtol=0, atol=1e-9 * scale, err_msg=k)
    return reference, posed, system


def moves_alike(name: str, reference: System, posed: Posed, system: System, end: float) -> None:
    state = state_of(name, reference)
    end = min(
        end, 30.0 / float(np.max(np.abs(reference.start(state).u), initial=1.0))
    )  # many turns make much of little
    options = {"rtol": 1e-11, "atol": 1e-11, "samples": 4, "steps": tr.Steps(most=200000)}
    a, b = (s.simulate(end, state, **options) for s in (reference, system))
    assert a.outcome == b.outcome
    for body in reference.model.free_bodies:
        old, new = (run.values(f"{body.name}.com_position") for run in (a, b))
        bound = 1e-9 * max(1.0, reference.formulation.length, float(np.max(np.abs(new))))
        np.testing.assert_allclose(new, old @ posed.R.T + posed.d, rtol=0, atol=bound, err_msg=body.name)


@pytest.mark.parametrize("name", QUICK)
def test_machines_in_other_axes(name: str) -> None:
    moves_alike(name, *the_same(name, 1), 0.2)


@pytest.mark.slow
@pytest.mark.parametrize("formalism", FORMALISMS)
@pytest.mark.parametrize("seed", [2, 3])
@pytest.mark.parametrize("name", MODELS)
def test_all_machines_in_other_axes(name: str, seed: int, formalism: str) -> None:
    moves_alike(name, *the_same(name, seed, formalism), 0.3)
