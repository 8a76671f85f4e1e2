"""Suspension elements between two bodies of a vehicle."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import isfinite
from typing import Literal, final

from trundle.errors import ModelError
from trundle.model.body import Frame
from trundle.model.model import Model
from trundle.real_array import is_number
from trundle.typing import Given

AXES = ("x", "y", "z")
Axis = Literal["x", "y", "z"]


@dataclass(frozen=True)
class Suspension(ABC):
    """A part between a lower and an upper body, at a place where frames of both coincide while the vehicle is at rest:
    x forward, y to the left, z up, in the axes of the lower body. Subclasses are final.
    """

    @property
    def vertical_stiffness(self) -> float:
        """N/m; parts at rest share the load in proportion to it. Zero for those that carry nothing."""
        return 0.0

    @abstractmethod
    def add(self, m: Model, name: str, lower: Frame, upper: Frame, load: float = 0.0) -> None:
        """Put it into a model under this name; `load` (N) is what it carries at rest, where the two frames coincide.

        Parameters
        ----------
        m : Model
            To which it is added.
        name : str
            Its name there.
        lower, upper : Frame
            Where it is attached; the two coincide at rest.
        load : float
            Load that it carries at rest (N).
        """

    def __add__(self, other: "Suspension") -> "Suspension":
        """Both in parallel."""
        return Parallel((self, other)) if isinstance(other, Suspension) else NotImplemented


@final
@dataclass(frozen=True)
class Parallel(Suspension):
    """Several parts in parallel: spring + bump_stop. In a model they are called name_1, name_2, ..."""

    parts: tuple[Suspension, ...]

    @property
    def vertical_stiffness(self) -> float:
        return sum(part.vertical_stiffness for part in self.parts)

    def add(self, m: Model, name: str, lower: Frame, upper: Frame, load: float = 0.0) -> None:
        whole = self.vertical_stiffness
        for i, part in enumerate(self.parts, start=1):
            share = part.vertical_stiffness / whole if whole > 0 else 0.0
            part.add(m, f"{name}_{i}", lower, upper, load * share)

    def __add__(self, other: Suspension) -> Suspension:
        return Parallel((*self.parts, other)) if isinstance(other, Suspension) else NotImplemented


def check_numbers(part: str, positive: tuple[str, ...] = (), **given: Given) -> None:
    """Numbers of a part must be finite and not negative; those named in `positive` above zero. Reports all faults."""
    faults = []
    for name, one in given.items():
        many = one if isinstance(one, tuple | list) else (one,)
        if not all(is_number(x) and isfinite(x) and x >= 0 for x in many):
            faults.append(f"{part}: {name} must be finite and not negative, got {one!r}.")
        elif name in positive and not all(x > 0 for x in many):
            faults.append(f"{part}: {name} must be greater than zero, got {one!r}.")
    if faults:
        raise ModelError(faults)


def check_triple(part: str, **given: Given) -> None:
    """Three numbers along or about x, y, z."""
    for name, one in given.items():
        if not isinstance(one, tuple | list) or len(one) != 3:
            raise ModelError(f"{part}: {name} has three numbers, for x, y and z, got {one!r}.")


def check_axis(part: str, axis: Given) -> int:
    """Number of an axis by its name."""
    if axis not in AXES:
        raise ModelError(f"{part}: axis is 'x' (along), 'y' (across) or 'z' (up), got {axis!r}.")
    return AXES.index(axis)
