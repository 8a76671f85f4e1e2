"""The sections `states` and `blocks` of a file: states with given rates, and blocks of controllers."""

from collections.abc import Callable
from dataclasses import MISSING, fields
from typing import final, get_args, get_origin

from pydantic_core import PydanticCustomError

from trundle.file import schema
from trundle.file.faults import near
from trundle.file.field import in_words, scalar
from trundle.file.kinds import blocks
from trundle.file.tree import Path
from trundle.file.values import Values
from trundle.model.model import Model
from trundle.typing import ClassField, ModelPart, Raw


@final
class Blocks:
    """Adds states and blocks to a model; their expressions are checked later, when all signals are known."""

    def __init__(self, values: Values, model: Model) -> None:
        self.values, self.model, self.faults = values, model, values.faults

    def state(self, name: str, state: schema.State, path: Path) -> None:
        """A state with the expression of its rate."""
        if name in self.values.scope.symbols:
            self.faults.add(path, f"{name!r} is a parameter or a constant; choose another name")
            return
        rate = self.values.later_signal(state.rate, (*path, "rate"))
        start = self.values.value(state.start, (*path, "start"))
        self.model.state(name, rate, start, state.unit, state.text)

    def block(self, name: str, raw: Raw, path: Path) -> None:
        """A block by its class: {PID: {error: ..., kp: 2}}."""
        kinds = blocks()
        if not isinstance(raw, dict) or len(raw) != 1:
            self.faults.add(path, f"give one kind of block ({', '.join(kinds)}) with its fields, not {in_words(raw)}")
            return
        ((word, sizes),) = raw.items()
        if word not in kinds:
            self.faults.add(path, f"there is no block called {word!r}. {near(str(word), list(kinds))}")
            return
        known = {f.name: f for f in fields(kinds[word]) if f.name != "name"}
        at = (*path, word)
        if not isinstance(sizes, dict):
            self.faults.add(at, f"{word} takes {', '.join(known)}, not {in_words(sizes)}")
            return
        wrong = [field for field in sizes if field not in known]
        for field in wrong:
            hint = near(str(field), list(known))
            self.faults.add(
                (*at, field), f"there is no field called {field!r} here; {word} takes {', '.join(known)}. {hint}"
            )
        missing = [f.name for f in known.values() if f.default is MISSING and f.name not in sizes]
        if missing:
            self.faults.add(at, f"{' and '.join(missing)} must be given; {word} takes {', '.join(known)}")
        given = {f: self._size(known[f], size, (*at, f)) for f, size in sizes.items() if f in known}
        if not wrong and not missing:
            self.model.block(kinds[word](**given), name)

    def _size(self, field: ClassField, size: Raw, path: Path) -> ModelPart:
        """A function of the signals, a text, or a number that may depend on parameters."""
        if field.type is str:
            return str(size)
        try:
            expression = scalar(size)
        except PydanticCustomError as error:
            self.faults.add(path, error.message())
            return 1.0
        if any(get_origin(one) is Callable for one in (field.type, *get_args(field.type))):
            return self.values.later_signal(expression, path)
        return self.values.value(expression, path) if field.type is float else self.values.number(expression, path)
