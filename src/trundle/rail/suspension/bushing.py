"""Springs and dampers along and about three axes at one place."""

from dataclasses import dataclass
from typing import final

from trundle.laws.efforts import Open, Spring
from trundle.model.body import Frame
from trundle.model.model import Model
from trundle.rail.suspension.axis_laws import FREE, AxisLaws, Laws, LoadedSpring
from trundle.rail.suspension.suspension import Suspension, check_numbers, check_triple

NONE = (0.0, 0.0, 0.0)


@final
@dataclass(frozen=True)
class Bushing(Suspension):
    """Linear springs and dampers along x, y, z, and torsion springs about them.

    Parameters
    ----------
    stiffness : three numbers
        N/m.
    damping : three numbers
        N s/m.
    turning_stiffness : three numbers
        N m/rad.
    """

    stiffness: tuple[float, float, float]
    damping: tuple[float, float, float] = NONE
    turning_stiffness: tuple[float, float, float] = NONE

    def __post_init__(self) -> None:
        given = {"stiffness": self.stiffness, "damping": self.damping, "turning_stiffness": self.turning_stiffness}
        check_triple("Bushing", **given)
        check_numbers("Bushing", (), **given)

    @property
    def vertical_stiffness(self) -> float:
        return self.stiffness[2]

    def add(self, m: Model, name: str, lower: Frame, upper: Frame, load: float = 0.0) -> None:
        loads = (0.0, 0.0, load)
        given = zip(self.stiffness, self.damping, loads, strict=True)
        x, y, z = (LoadedSpring(*one) if any(one) else Open() for one in given)
        about: Laws = FREE
        if any(self.turning_stiffness):
            rx, ry, rz = (Spring(k) if k else Open() for k in self.turning_stiffness)
            about = (rx, ry, rz)
        m.apply(AxisLaws(lower, upper, (x, y, z), about), name=name)
