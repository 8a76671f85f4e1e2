"""A bar that resists the roll of one body against another, and nothing else."""

from dataclasses import dataclass
from typing import final

from trundle.laws.efforts import Open, Spring
from trundle.model.body import Frame
from trundle.model.model import Model
from trundle.rail.suspension.axis_laws import FREE, AxisLaws
from trundle.rail.suspension.suspension import Suspension, check_numbers


@final
@dataclass(frozen=True)
class AntiRollBar(Suspension):
    """Torsion spring (N m/rad) and damper (N m s/rad) about the x axis.

    Parameters
    ----------
    stiffness : float or expression
        In N m/rad.
    damping : float or expression
        In N m s/rad.
    """

    stiffness: float
    damping: float = 0.0

    def __post_init__(self) -> None:
        check_numbers("AntiRollBar", ("stiffness",), stiffness=self.stiffness, damping=self.damping)

    def add(self, m: Model, name: str, lower: Frame, upper: Frame, load: float = 0.0) -> None:
        about = (Spring(self.stiffness, self.damping), Open(), Open())
        m.apply(AxisLaws(lower, upper, FREE, about), name=name)
