"""Event functions and the jumps of the state that they trigger, as functions of (t, x, p)."""

from collections.abc import Collection
from typing import Any

import casadi as ca

from trundle.contact.collision_equations import free_accelerations, impact_values
from trundle.contact.modes.expressions import ModeExpressions
from trundle.derivative import derivative_along
from trundle.equations.carry_over import carried_over, changes_frames
from trundle.equations.enclosure import Range, enclosure, round_off
from trundle.equations.kernels import Functions
from trundle.errors import ModelError, UnknownNameError
from trundle.linear_algebra.kkt import KKT, KKTRow, dense
from trundle.model.model import Model
from trundle.model.register import is_changeable
from trundle.typing import Expr, TapeFunction


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
    if any(c.unilateral for c in model.connections.values()):
        out["impact"] = functions.function("impact", *impact_values(functions))
    if modes is not None and modes.together:
        out["free"] = functions.function("free", *free_accelerations(functions))
    elif modes is not None:
        out["start"] = functions.function("start", modes.start())
    if modes is not None:
        for i, jump in enumerate(modes.jumps(), start=len(model.events)):
            if jump is None:
                continue
            out[f"jump{i}"] = functions.function(f"jump{i}", functions.x, jump)
    places, register = e.layout.changeable, e.signals.register
    for i, event in enumerate(model.events.values()):
        if isinstance(event.action, str):
            continue
        x, p = ca.SX(functions.x), ca.SX(e.p)
        action = {register.full(name): expression for name, expression in event.action.items()}
        for name, expression in action.items():
            if name in places:
                x[places[name]] = expression(e.signals) if callable(expression) else expression
            elif name in model.parameters:
                p[e.parameters.parameter(name)] = expression(e.signals) if callable(expression) else expression
            elif not e.layout.in_joints and is_changeable(register.get(name).quantity):
                raise ModelError(
                    f"event {event.name!r} changes {name!r}: that needs joint coordinates, formalism='kane'."
                )
            else:
                what = f"state or parameter (in event {event.name!r})"
                raise UnknownNameError(name, [*places, *model.parameters, *register.short_names(is_changeable)], what)
        at_u = e.layout.u
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
        out[f"jump{i}"] = functions.function(f"jump{i}", x, p)
    return out


def _changed(functions: Functions, action: Collection[str]) -> Any:
    """Symbols that an action gives other values."""
    e, places = functions.equations, functions.equations.layout.changeable
    states = [functions.x[places[name]] for name in action if name in places]
    return ca.vertcat(*states, *[e.p[e.parameters.parameter(name)] for name in action if name in e.model.parameters])


def _bounds(functions: Functions, values: list[Expr]) -> dict[str, TapeFunction]:
    """Bounds of event functions and of their rates along the motion, over the box [t, x, xdot], least values first, and
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


def _hold_speeds(functions: Functions, speeds: list[int]) -> Any:
    """The speeds that meet the constraints while the given ones stay, by the least kinetic energy of the change."""
    e, rows = functions.equations, functions.independent
    held = [KKTRow(r.jacobian, scale=1 / functions.length if r.unit == "m" else 1.0) for r in rows]
    stay = [KKTRow({i: ca.SX(1)}, ("stays", i)) for i in speeds]
    kkt = KKT(e.mass, [*held, *stay], e.motion.leaves_first(), e.shift)
    change, _ = kkt.solve({}, {i: -row.rate for i, row in enumerate(rows)})
    return ca.Function("hold", [e.t, e.q, e.u, e.p], [e.u + dense(change, e.n_u)])
