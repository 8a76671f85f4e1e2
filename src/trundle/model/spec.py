"""The frozen model from which a system is built, and the key under which all derived results are cached."""

from functools import cached_property
from typing import final

from trundle.errors import ModelError
from trundle.model.examined import examined
from trundle.model.fingerprint import fingerprint
from trundle.model.freeze import frozen
from trundle.model.model import Model
from trundle.typing import Values


@final
class Spec:
    """A deep copy of a model as it was when it was built. Everything that is derived, compiled, kept, pickled or
    compared comes from it alone.

    `key` is a digest of every bit that shapes the equations; default values of parameters do not, so models that differ
    in them share their kernels. `measures` are the quantities of each force.
    """

    def __init__(self, model: Model, relax: Values | None = None) -> None:
        self.model = frozen(model, relax)
        self.key, self.measures = examined(self.model)

    def __setattr__(self, name: str, value: object) -> None:
        if name in ("model", "key", "measures") and name in vars(self):
            raise AttributeError(f"{name!r} of a Spec cannot be changed; change the model and build it again.")
        object.__setattr__(self, name, value)

    @cached_property
    def values(self) -> tuple[float, ...]:
        """Default values of the parameters."""
        return tuple(self.model.parameter_values().values())

    @cached_property
    def digests(self) -> tuple[str, ...]:
        """Of its tables."""
        return tuple(table.table.digest for table in self.model.tables.values())

    @property
    def _description(self) -> tuple[object, ...]:
        return self.key, self.values, self.digests

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Spec) and self._description == other._description

    def __hash__(self) -> int:
        return hash(self._description)

    def __reduce__(self) -> tuple[object, ...]:
        return Spec, (self.model,)

    def __repr__(self) -> str:
        return f"<Spec of {self.model.name!r}, {self.key[:12]}>"

    def check_own_classes(self) -> None:
        """ModelError if the code of a user-defined class in the model has changed since the build."""
        if self.model.own_classes and fingerprint(self.model) != self.key:
            raise ModelError(
                f"the model {self.model.name!r} gives other expressions than when it was built: a class of yours in "
                f"it, "
                f"{' or '.join(self.model.own_classes)}, has changed since. Build the model again."
            )
