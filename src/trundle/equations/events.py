"""Event functions and the jumps of the state that they trigger, as functions of (t, x, p)."""

from collections.abc import Callable, Collection, Mapping

import casadi as ca
import numpy as np

from trundle.contact.collision_equations import free_accelerations, impact_values
from trundle.contact.modes.expressions import ModeExpressions
from trundle.contact.modes.find import contacts_to_decide
from trundle.derivative import derivative_along
from trundle.equations.carry_over import carried_over, changes_frames
from trundle.equations.enclosure import Range, enclosure, round_off
from trundle.equations.kernels import Functions
from trundle.errors import ModelError, UnknownNameError
from trundle.laws.signals import Signals
from trundle.linear_algebra.kkt import KKT, KKTRow, dense
from trundle.model.definitions import Event
from trundle.model.model import Model
from trundle.model.register import is_changeable
from trundle.typing import Expr, TapeFunction

OVERLAP = 1e-7  # of the typical length of the run


def event_functions(model: Model, functions: Functions) -> dict[str, TapeFunction]:
    """ "events": all values; "enclosure": bounds of the user's values and their rates; "round_off": of these values;
    "jump<i>": state and parameters after event i.
    """
    e = functions.equations
    values = [ca.SX(event.function(e.signals)) for event in model.events.values()]
    modes = ModeExpressions(functions) if e.modes else None
    bounded = _bounds(functions, values) if values else {}
    if modes is not None:
        values += modes.values()
    out = {"events": functions.function("events", *values)}
    out |= bounded
    if contacts_to_decide(model):
        out["impact"] = functions.function("impact", *impact_values(functions))
    if modes is not None:
        out |= _mode_functions(functions, modes, len(model.events))
    for i, event in enumerate(model.events.values()):
        if not isinstance(event.action, str):
            out[f"jump{i}"] = functions.function(f"jump{i}", *_jump(functions, event, event.action, modes))
    return out


def _mode_functions(functions: Functions, modes: ModeExpressions, first: int) -> dict[str, TapeFunction]:
    """Functions for the modes at the start (or for deciding them together), and the jumps of their events, numbered
    from `first` on.
    """
    if modes.together:
        out = {"free": functions.function("free", *free_accelerations(functions))}
    else:
        out = {"start": functions.function("start", modes.start())}
    for i, jump in enumerate(modes.jumps(), start=first):
        if jump is not None:
            out[f"jump{i}"] = functions.function(f"jump{i}", functions.x, jump)
    return out


def _jump(
    functions: Functions,
    event: Event,
    given: Mapping[str, Callable[[Signals], Expr]],
    modes: ModeExpressions | None,
) -> tuple[Expr, Expr]:
    """State and parameters after an event that assigns values by name."""
    e = functions.equations
    x, p, at_u, places = ca.SX(functions.x), ca.SX(e.p), e.layout.u, e.layout.changeable
    action = {e.signals.register.full(name): expression for name, expression in given.items()}
    for name, expression in action.items():
        value = expression(e.signals) if callable(expression) else expression
        if name in places:
            x[places[name]] = value
        elif name in e.model.parameters:
            p[e.parameters.parameter(name)] = value
        else:
            raise _unchangeable(functions, event, name)
    speeds = [places[name] - at_u.start for name in action if places.get(name, -1) >= at_u.start]
    jumps = changes_frames(functions, _changed(functions, action))
    if jumps and event.keeps == "relative" and not e.layout.in_joints:
        raise ModelError(
            f"event {event.name!r} changes the motion of a frame and keeps the velocities in it: that needs joint "
            "coordinates, formalism='kane'."
        )
    if jumps and event.keeps == "absolute":
        x[at_u] = carried_over(functions, x[e.layout.q], p, x[at_u], speeds)
    elif speeds and functions.independent:
        x[at_u] = _hold_speeds(functions, speeds)(e.t, x[e.layout.q], x[at_u], p)
    if modes is not None and (jumps or any(places.get(name, at_u.stop) < at_u.stop for name in action)):
        x, p = _with_modes(functions, modes, x, p)
    return x, p


def _with_modes(functions: Functions, modes: ModeExpressions, x: Expr, p: Expr) -> tuple[Expr, Expr]:
    """State and parameters with the modes of contacts where an event has moved something, as at a start; if they are
    decided together, the loop does so, and they are open until then. Speeds are nan where surfaces overlap.
    """
    e = functions.equations
    opening = [bonds for bonds in modes.contacts if bonds.connection.unilateral]
    gaps = [bonds.contact.gap / e.scales.length for bonds in opening]
    moved = [e.t, x[e.layout.q], x[e.layout.u], p]
    lowest = ca.SX(0)
    if gaps:
        at = ca.Function("gaps", [e.t, e.q, e.u, e.p], [ca.vertcat(*gaps)])(*moved)
        lowest = ca.mmin(at)
    x[e.layout.u] = ca.if_else(lowest < -OVERLAP, np.nan, x[e.layout.u])
    if not modes.together:
        return x, ca.Function("start", [e.t, e.q, e.u, e.p], [modes.start()])(*moved)
    for bonds in modes.contacts:
        p = modes.put(p, bonds, **dict.fromkeys(modes.switches(bonds), 0))
    return x, p


def _unchangeable(functions: Functions, event: Event, name: str) -> ModelError | UnknownNameError:
    """The error for a name that an event cannot assign."""
    e, register = functions.equations, functions.equations.signals.register
    if not e.layout.in_joints and is_changeable(register.get(name).quantity):
        return ModelError(f"event {event.name!r} changes {name!r}: that needs joint coordinates, formalism='kane'.")
    known = [*e.layout.changeable, *e.model.parameters, *register.short_names(is_changeable)]
    return UnknownNameError(name, known, f"state or parameter (in event {event.name!r})")


def _changed(functions: Functions, action: Collection[str]) -> Expr:
    """Symbols that an action changes."""
    e, places = functions.equations, functions.equations.layout.changeable
    states = [functions.x[places[name]] for name in action if name in places]
    return ca.vertcat(*states, *[e.p[e.parameters.parameter(name)] for name in action if name in e.model.parameters])


def _bounds(functions: Functions, values: list[Expr]) -> dict[str, TapeFunction]:
    """Bounds of event functions and of their rates along the motion, over the box [t, x, xdot], lower bounds first, and
    the round-off of the values.
    """
    e, x = functions.equations, functions.x
    n_x = x.numel()
    xdot, box = ca.SX.sym("xdot", n_x), ca.SX.sym("box", 2 + 4 * n_x)
    inputs = ca.vertcat(e.t, x)
    rates = [derivative_along(value, inputs, ca.vertcat(1, xdot)) for value in values]
    moving = [e.t, *ca.vertsplit(x), *ca.vertsplit(xdot)]
    ranges = [Range(box[i], box[i + 1 + 2 * n_x]) for i in range(1 + 2 * n_x)]
    ranges += [Range(v, v) for v in ca.vertsplit(e.p)]
    out = enclosure(values, rates, [*moving, *ca.vertsplit(e.p)], ranges)
    noise = [round_off(value, [e.t, *ca.vertsplit(x), *ca.vertsplit(e.p)]) for value in values]
    return {
        "enclosure": ca.Function("enclosure", [ca.SX.sym("none"), box, e.p], [out]),
        "round_off": functions.function("round_off", *noise),
    }


def _hold_speeds(functions: Functions, speeds: list[int]) -> TapeFunction:
    """The speeds that satisfy the constraints with the given ones unchanged, by least kinetic energy of the change.
    Contacts that open or slide do not hold: friction and loads are no match for a jump.
    """
    e, rows = functions.equations, [row for row in functions.independent if row.active is None]
    held = [KKTRow(r.jacobian, scale=1 / functions.length if r.unit == "m" else 1.0) for r in rows]
    stay = [KKTRow({i: ca.SX(1)}, ("stays", i)) for i in speeds]
    kkt = KKT(e.mass, [*held, *stay], e.motion.leaves_first(), e.shift)
    change, _ = kkt.solve({}, {i: -row.rate for i, row in enumerate(rows)})
    return ca.Function("hold", [e.t, e.q, e.u, e.p], [e.u + dense(change, e.n_u)])
