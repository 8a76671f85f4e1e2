"""Any part of a model as text, with all bits of its numbers: equal texts mean equal equations.

`str` of an expression prints six digits, and so do messages; what stands for a model in keys is written here.
"""

import pickle
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from hashlib import sha256
from secrets import token_hex

import casadi as ca
import numpy as np

from trundle.lookup.node import spelled
from trundle.model.body import Body, Frame
from trundle.pairs.lower import Pair
from trundle.pairs.surface import Surface
from trundle.space.chain import Chain
from trundle.typing import Expr, ModelPart

_PROCESS = token_hex(16)  # for what differs from others by its place in memory only


def exact(value: object) -> str:
    """The value as text. Bodies are represented by their names, functions by the expressions that they return."""
    if value is None or isinstance(value, str | bytes | bool | np.bool_ | type):
        return repr(value)
    if isinstance(value, int):
        return float(value).hex() if abs(value) < 2**53 else repr(value)
    if isinstance(value, float | np.floating | np.integer):
        return float(value).hex()
    if isinstance(value, ca.SX | ca.DM):
        return _expression(value if type(value) is ca.SX else ca.SX(value))
    if isinstance(value, Body):
        return f"body {value.name!r}"
    if isinstance(value, Frame):
        return f"frame {value.body.name!r} {exact(value.position)} {exact(value.rotation)}"
    if isinstance(value, Chain):
        return exact([value.steps, value.end.R, value.end.p])
    if isinstance(value, np.ndarray):
        return exact(value.tolist())
    if isinstance(value, Mapping):
        return "{" + ",".join(f"{exact(k)}:{exact(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(exact(v) for v in value) + "]"
    if is_dataclass(value):
        own = getattr(value, "exact", None)
        return own() if own is not None else _dataclass(value)
    return _other(value)


def _expression(value: Expr) -> str:
    if value.is_constant():
        if value.numel() == 1:
            return float(value).hex()
        return exact(ca.DM(value).full())
    return tape(ca.symvar(value), value)


def tape(inputs: Sequence[Expr], answer: Expr) -> str:
    """The operations that lead from symbols to an expression, and the names of the symbols."""
    names = [[s.name() for s in _symbols(one)] for one in inputs]
    return f"{names} {spelled(inputs, answer)}"


def _symbols(given: Expr) -> list[Expr]:
    """In one input; most are one symbol."""
    alone = type(given) is ca.SX and given.numel() == 1 and given.is_symbolic()
    return [given] if alone else list(ca.symvar(ca.SX(given)))


def is_foreign(value: object) -> bool:
    """Whether its class was written by the user: the same name need not mean the same then."""
    return not type(value).__module__.startswith("trundle.")


def _dataclass(value: ModelPart) -> str:
    kind = type(value)
    text = f"{kind.__module__}.{kind.__qualname__}" if is_foreign(value) else kind.__name__
    text += f"({','.join(f'{f.name}={exact(getattr(value, f.name))}' for f in fields(value))})"
    if is_foreign(value) and isinstance(value, Surface):
        text += exact(value.sweep()) if value.swept else _expressions(value)
    if is_foreign(value) and isinstance(value, Pair):
        text += exact([value.free, value.held_bonds, value.coordinates, value.chain() if value.in_tree else None])
    return text


def _expressions(surface: Surface) -> str:
    """A surface of the user that is given by expressions."""
    a, b = ca.SX.sym("a"), ca.SX.sym("b")
    chart = surface.chart()
    at = chart.place(a, b)
    return exact([chart.coordinates, tape([a, b, chart.sizes()], ca.veccat(at.point, at.R))])


def _other(value: object) -> str:
    """Objects of unknown classes: their pickled state, or else a text that is unique to the object."""
    kind = f"{type(value).__module__}.{type(value).__qualname__}"
    try:
        return f"{kind} {sha256(pickle.dumps(value)).hexdigest()}"
    except Exception:  # whatever its class raises
        return f"{kind} {id(value)} {_PROCESS}"
