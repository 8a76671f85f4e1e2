"""Event functions and the jumps of the state that they trigger, as functions of (t, x, p)."""

from typing import Any

import casadi as ca

from trundle.equations.functions import Functions
from trundle.errors import ModelError, UnknownNameError
from trundle.graph.layout import Layout
from trundle.model.model import Model


def event_functions(model: Model, functions: Functions, layout: Layout) -> dict[str, Any]:
    """ "events": all values; "jump<i>": state and parameters after event i."""
    e = functions.equations
    values = [ca.SX(event.function(e.signals)) for event in model.events.values()]
    out = {"events": functions.function("events", *values)}
    places = {c.name: c.i_q for c in layout.coordinates if c.n_q == 1}
    places |= {c.rate_name: e.n_q + c.i_u for c in layout.coordinates if c.n_u == 1}
    parameters = list(model.parameters)
    for i, event in enumerate(model.events.values()):
        if isinstance(event.action, str):
            continue
        if e.formalism != "kane":
            raise ModelError(f"event {event.name!r} changes the state: that needs joint coordinates, formalism='kane'.")
        x, p = ca.SX(functions.x), ca.SX(e.p)
        for name, expression in event.action.items():
            if name in places:
                x[places[name]] = expression(e.signals) if callable(expression) else expression
            elif name in parameters:
                p[parameters.index(name)] = expression(e.signals) if callable(expression) else expression
            else:
                raise UnknownNameError(name, [*places, *parameters], f"state or parameter (in event {event.name!r})")
        out[f"jump{i}"] = functions.function(f"jump{i}", x, p)
    return out
