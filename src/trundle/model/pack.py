"""Models in bytes. All expressions go as one tape, so that symbols which are shared stay shared."""

import io
import pickle
from typing import final

import casadi as ca

from trundle.errors import ModelError
from trundle.lookup.node import read, written
from trundle.model.model import Model
from trundle.typing import Expr


@final
class _Packer(pickle.Pickler):
    def __init__(self, stream: io.BytesIO) -> None:
        super().__init__(stream, protocol=pickle.HIGHEST_PROTOCOL)
        self.expressions: list[Expr] = []

    def persistent_id(self, obj: object) -> tuple[int, type[ca.SX]] | None:
        if not isinstance(obj, ca.SX):
            return None
        self.expressions.append(obj)
        return len(self.expressions) - 1, type(obj)


@final
class _Unpacker(pickle.Unpickler):
    def __init__(self, stream: io.BytesIO, expressions: list[Expr]) -> None:
        super().__init__(stream)
        self.expressions = expressions

    def persistent_load(self, pid: tuple[int, type[ca.SX]]) -> Expr:
        i, kind = pid
        return kind(self.expressions[i])


def packed(model: Model) -> tuple[object, ...]:
    """The pickled form of a model: functions as the expressions that they return, expressions as a tape."""
    from trundle.model.freeze import recorded

    parts = vars(model if model.is_frozen else recorded(model))
    stream = io.BytesIO()
    packer = _Packer(stream)
    try:
        packer.dump(parts)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise ModelError(
            f"the model {model.name!r} cannot be pickled: {error}. Laws, forces and functions are stored as "
            f"expressions; other classes of your own must be defined at the top level of a module that the other "
            f"process can import."
        ) from error
    symbols = ca.symvar(ca.veccat(ca.SX(0, 1), *packer.expressions))
    tape = written(symbols, packer.expressions) if packer.expressions else ("", [])
    return unpacked, (stream.getvalue(), *tape, [s.name() for s in symbols])


def unpacked(parts: bytes, tape: str, lookups: list[tuple[int, int]], names: list[str]) -> Model:
    """The model, with symbols of its own."""
    symbols = [ca.SX.sym(name) for name in names]
    expressions = read(tape, lookups, symbols) if tape else []
    out = object.__new__(Model)
    out.__dict__.update(_Unpacker(io.BytesIO(parts), expressions).load())
    return out
