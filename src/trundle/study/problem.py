"""The kernels of a system arranged for the time loop."""

import numpy as np

from trundle.contact.collision.layout import TREATMENTS
from trundle.contact.modes.find import contacts_to_decide
from trundle.contact.modes.mode import Transition
from trundle.equations.formulation import Formulation
from trundle.integrate.codes import DECIDE, JAM, JUMP, RECORD, RETURN, STOP, STRIKE
from trundle.integrate.problem import Problem
from trundle.model.model import Model
from trundle.study.first_modes import places_of_modes


def multiplier_shift(rtol: float) -> float:
    """Relative shift of the multiplier block: it regularises singular poses; its effect stays below the tolerance."""
    return float(np.clip(1e-2 * rtol, 1e-12, 1e-8))


def make_problem(f: Formulation, stiff: bool, returns: bool, rtol: float) -> Problem:
    """Kernels of the system arranged for the time loop."""
    base = f.kernels("base")
    extra = f.kernels("stiff") if stiff else {}
    model, states = f.model, f.states
    changes = f.transitions
    kernels = f.kernels("events") if model.events or changes else {}
    kinds = [_kind(event.action, returns) for event in model.events.values()]
    kinds += [_kind_of_transition(c) for c in changes]
    striking = STRIKE in kinds
    contacts = contacts_to_decide(model)
    directions = [event.direction for event in model.events.values()] + [c.direction for c in changes]
    return Problem(
        rhs=extra.get("rhs", base["rhs"]),
        project=base.get("project"),
        jacobian=extra.get("jacobian"),
        metric=extra.get("metric"),
        near_folds=base["rhs"] if stiff else None,
        events=kernels.get("events"),
        enclosure=kernels.get("enclosure"),
        round_off=kernels.get("round_off"),
        breaks=base.get("breaks"),
        jumps=tuple(kernels.get(f"jump{i}") for i in range(len(kinds))),
        impact=kernels.get("impact") if striking or "free" in kernels else None,
        modes=kernels.get("start") if striking else None,
        energy=base["energy"],
        given_events=len(model.events),
        works=states.works.stop - states.works.start,
        driven=_driven(model),
        held=any(set(c.held) - {"slip_x", "slip_y"} for c in contacts),
        free=kernels.get("free"),
        places=places_of_modes(f) if f.decides_together else (),
        contacts=len(contacts) if striking or "free" in kernels else 0,
        in_metres=[unit == "m" for unit in states.units[: states.n_q]],
        sizes=f.parameters.size_slice,
        treatment=TREATMENTS[model.impacts],
        n_q=states.n_q,
        n_u=states.n_u,
        quaternions=states.quaternions,
        event_directions=directions,
        event_kinds=kinds,
        event_due=[False] * len(model.events) + [c.due for c in changes],
        error_weight=states.error_weights,
        stiff_onsets=any(c.kind == "turns" for c in changes),
        units=states.units,
        singular_limit=max(1e-10, 1e-2 * rtol),  # a coarse path passes a fold at some distance
    )


def _driven(model: Model) -> bool:
    """Whether laws or frames move parts of the model."""
    if model.frames:
        return True
    laws = [law for c in model.connections.values() for law in (*c.laws.values(), *c.bond_laws.values())]
    return any(law.drives for law in laws)


def _kind_of_transition(transition: Transition) -> int:
    if transition.ends:
        return JAM if transition.together else STOP
    if transition.together:
        return DECIDE
    return STRIKE if transition.strikes else JUMP


def _kind(action: object, returns: bool) -> int:
    if action == "stop":
        return STOP
    if action == "record":
        return RETURN if returns else RECORD
    return JUMP
