"""Recognises a model that was examined before by the contents of its parts, without calling its functions again.

Evaluating every force with symbols takes most of the time of a build from the cache. If all parts of a frozen model are
of Trundle's own classes, the result depends on their fields only, so a digest of the fields is enough. Cache entries
are separate for each version of Trundle's sources.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import final

import casadi as ca
import numpy as np

from trundle.kernel.cache import USER_CACHE, Bundle
from trundle.lookup.table import Table
from trundle.model.body import Body, Frame
from trundle.model.exact import exact, is_foreign
from trundle.model.fingerprint import Examined, examine, held
from trundle.model.force import Measure
from trundle.model.model import Model
from trundle.model.recorded import Recorded
from trundle.typing import Expr


def examined(model: Model) -> Examined:
    """Key and measures of a frozen model, from the cache if it is known; otherwise ModelError with all faults."""
    parts = held(model)
    key = plain_key(model, parts)
    kept = None if key is None else USER_CACHE.load_bundle(f"examined {key}")
    if kept is not None:
        try:
            measures = {name: tuple(Measure(*one) for one in of) for name, of in kept.meta["measures"].items()}
            return Examined(str(kept.meta["key"]), measures)
        except (KeyError, TypeError, ValueError, AttributeError):  # not what was written
            pass
    found = examine(model, parts)
    if key is not None:
        USER_CACHE.save_bundle(f"examined {key}", Bundle(b"", (), found._asdict()))
    return found


def plain_key(model: Model, parts: Sequence[str] | None = None) -> str | None:
    """Digest of all fields of the parts of a frozen model, including forces with their names, states and the numbers
    of tables; None if their results may depend on more: on user-defined classes, or on symbols or bodies of another
    model. `parts` is the result of `held`, if known.
    """
    forces = [model.forces, *model.states.values(), *model.blocks.values()]  # a force does not know its own name
    laws = [law for c in model.connections.values() for law in (c.laws, c.bond_laws, c.friction_laws)]
    if model.own_classes or not _Own(model).has([forces, laws, model.outputs, model.events]):
        return None
    digests = [table.table.digest for table in model.tables.values()]
    text = "\n".join([*(held(model) if parts is None else parts), exact(forces), *digests])
    return hashlib.sha256(text.encode()).hexdigest()


@final
class _Own:
    """Whether parts consist of what belongs to a model."""

    def __init__(self, model: Model) -> None:
        self.bodies = model.bodies
        self.known = {symbol.element_hash() for symbol in model.parameter_symbols()}

    def has(self, value: object) -> bool:
        """Whether all of a value is of Trundle's own classes, with symbols and bodies of the model."""
        if value is None or isinstance(value, str | bytes | bool | int | float | np.generic | type | ca.DM | Table):
            return True
        if isinstance(value, ca.SX):
            return self._knows(value, set())
        if isinstance(value, Body):
            return self.bodies.get(value.name) is value
        if isinstance(value, Frame):
            return self.has([value.body, value.position, value.rotation])
        if isinstance(value, Recorded):
            symbols = {s.element_hash() for symbol in value.symbols for s in ca.symvar(symbol)}
            return self.has([question.of for question in value.questions]) and self._knows(value.answer, symbols)
        if isinstance(value, np.ndarray):
            return value.dtype != object or self.has(value.ravel().tolist())
        if isinstance(value, Mapping):
            return self.has([*value.keys(), *value.values()])
        if isinstance(value, list | tuple):
            return all(map(self.has, value))
        if is_dataclass(value) and not is_foreign(value):
            return all(self.has(getattr(value, field.name)) for field in fields(value))
        return False

    def _knows(self, expression: Expr, more: set[int]) -> bool:
        return all(s.element_hash() in self.known or s.element_hash() in more for s in ca.symvar(expression))
