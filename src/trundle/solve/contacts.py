"""Contacts at the start of a run: what their laws cannot begin with is told."""

from typing import TYPE_CHECKING, Any

import numpy as np

from trundle.equations.functions import Functions
from trundle.errors import SolveError
from trundle.model.connection import ConnectedPair
from trundle.model.model import Model

if TYPE_CHECKING:
    from trundle.prepared import Prepared

Array = np.ndarray[Any, np.dtype[np.float64]]
NO_LOAD = 1e-9  # N
SLIPPING = 1e-6  # m/s or rad/s
OVERLAP = 1e-7  # relative to the length of the model


def _loaded(model: Model) -> list[ConnectedPair]:
    """Contacts with a rigid normal, closed from the start, whose law divides by the normal force."""
    return [c for c in model.connections.values() if c.relaxes and "z" in c.holds and not c.unilateral]


def _opening(model: Model) -> list[ConnectedPair]:
    """Contacts with a rigid normal that may open."""
    return [c for c in model.connections.values() if c.unilateral]


def contact_values(model: Model, functions: Functions) -> list[Any]:
    """What `check_contacts` looks at: normal forces, then gaps, and slips that should be held."""
    touches = [functions.equations.touches[c.name] for c in _opening(model)]
    loads = [functions.multiplier(f"{c.name}.normal") for c in _loaded(model)]
    return [*loads, *(touch.contact.gap for touch in touches), *(touch.slip_if_closed() for touch in touches)]


def check_contacts(system: "Prepared", t: float, x: Array, p: Array) -> None:
    """A law that divides by the normal force needs one; contacts that may open must neither overlap nor slip
    where they hold.
    """
    loaded, opening = _loaded(system.model), _opening(system.model)
    if not loaded and not opening:
        return
    values = np.array(system.kernels("contacts at start")["values"](t, x, p))
    for c, load in zip(loaded, values, strict=False):
        if abs(load) < NO_LOAD:
            raise SolveError(
                f"contact {c.name!r}: {type(c.friction).__name__} compares the traction with the normal force, which "
                f"is {load:.3g} N at the start. Give the model gravity or a load, or use tr.Coulomb, which needs none."
            )
    gaps, slips = np.split(values[len(loaded) :], 2)
    for c, gap, slip in zip(opening, gaps, slips, strict=True):
        first, second = c.first.body.name, c.touching.name
        if gap < -OVERLAP * system.length:
            raise SolveError(
                f"contact {c.name!r}: {second!r} overlaps {first!r} by {-gap:.3g} m at the start. Move it out by start "
                f"values such as '{second}.position', or let a compliant normal push it out."
            )
        if slip > SLIPPING:
            raise SolveError(
                f"contact {c.name!r} is closed at the start and its laws hold {', '.join(c.held)}, but the start "
                f"values move {second!r} there at {slip:.3g} m/s or rad/s. Give velocities that fit, or a law of "
                "friction that may slide, such as tr.Coulomb."
            )
