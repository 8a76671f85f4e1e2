"""A consistent start state, with the given values that had to be changed."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import final

from trundle.typing import Array


@final
@dataclass(frozen=True)
class InitialState:
    """Coordinates and speeds; changed values: name -> (given, used); and hints about values that may be mistakes."""

    q: Array
    u: Array
    changed: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    found: Mapping[str, float] = field(default_factory=dict)  # changed to close the loops
    hints: tuple[str, ...] = ()

    def report(self) -> str:
        """The changes as text."""
        lines = [f"{name}: given {a:.9g}, used {b:.9g}" for name, (a, b) in self.changed.items()]
        lines += [f"{name}: found {value:.9g}" for name, value in self.found.items()]
        lines += self.hints
        return "\n".join(lines) if lines else "the state was consistent as given"
