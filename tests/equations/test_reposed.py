"""Nothing that a machine does depends on the axes it is described in."""

from collections.abc import Callable

import numpy as np
import pytest
from linkages import LINKAGES
from mechanisms import MECHANISMS
from reposed import Posed, can_be_posed
from test_formalisms import random_state

import trundle as tr
from trundle.system import System

LOADED = ("heavy-top",)  # starts by a quaternion
EXAMPLES = [name for name in tr.examples.names() if name not in LOADED]
MODELS: dict[str, Callable[[], tr.Model]] = (
    {f"example {name}": (lambda name=name: tr.examples.load(name).model) for name in EXAMPLES}  # type: ignore[misc]
    | {name: made for name, (made, _) in MECHANISMS.items() if can_be_posed(made())}
    | LINKAGES
)
QUICK = ["carried four-bar", "slider-crank, slide driven", "closed by Prismatic", "Bennett", "example two-hinge-door"]


def state_of(name: str, system: System) -> dict[str, object]:
    return random_state(system, np.random.default_rng(3), 0.1) if name in MECHANISMS else {}


def the_same(name: str, seed: int, formalism: str = "kane") -> tuple[System, Posed, System]:
    """Freedoms, and accelerations of all coordinates, which are measured along the axes of the joints."""
    model = MODELS[name]()
    if model.relaxed() or not can_be_posed(model):
        pytest.skip("a law is told in axes of the ground")
    reference = model.build(formalism)
    posed = Posed(MODELS[name](), seed, far=2 * reference.formulation.length)
    system = posed.model.build(formalism)
    for a, b in ((reference.mobility, system.mobility),):
        assert (a.freedoms, a.configuration, len(a.redundant)) == (b.freedoms, b.configuration, len(b.redundant))
        assert [len(names) for names in a.exchanged] == [len(names) for names in b.exchanged]
    assert system.formulation.length == pytest.approx(reference.formulation.length, rel=1e-12)
    state = state_of(name, reference)
    a, b = reference.accelerations(state), system.accelerations(state)
    names = [c.acceleration_name for c in reference.formulation.layout.coordinates if c.acceleration_name in a]
    scale = max(1.0, *(float(np.max(np.abs(a[k]))) for k in names))
    for k in names:
        np.testing.assert_allclose(b[k], a[k], rtol=0, atol=1e-9 * scale, err_msg=k)
    return reference, posed, system


def moves_alike(name: str, reference: System, posed: Posed, system: System, end: float) -> None:
    state = state_of(name, reference)
    options = {"rtol": 1e-11, "atol": 1e-11, "samples": 4, "max_steps": 200000}
    a, b = (s.simulate(end, state, **options) for s in (reference, system))
    assert a.outcome == b.outcome
    for body in reference.model.bodies:
        if body != "ground":
            old, new = (run.values(f"{body}.com_position") for run in (a, b))
            bound = 1e-9 * max(1.0, reference.formulation.length, float(np.max(np.abs(new))))
            np.testing.assert_allclose(new, old @ posed.R.T + posed.d, rtol=0, atol=bound, err_msg=body)


@pytest.mark.parametrize("name", QUICK)
def test_machines_in_other_axes(name: str) -> None:
    moves_alike(name, *the_same(name, 1), 0.2)


@pytest.mark.slow
@pytest.mark.parametrize("formalism", ["kane", "udwadia_kalaba", "newton_euler"])
@pytest.mark.parametrize("name", MODELS)
def test_all_machines_in_other_axes(name: str, formalism: str) -> None:
    for seed in (2, 3):
        moves_alike(name, *the_same(name, seed, formalism), 0.3)
