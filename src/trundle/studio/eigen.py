"""Eigenvalues over a parameter, or over the speed of steady motions, as curves."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, final

import numpy as np

from trundle.command.eigen import root_locus
from trundle.errors import SolveError, UnknownNameError
from trundle.studio.opened import Opened
from trundle.study.stability import SteadyMotions, moving
from trundle.typing import AnyArray, Json, Values
from trundle.view.speeds import follow

ABOUT: Final = ("equilibrium", "start", "steady")
SPEED: Final = "speed"


@final
@dataclass(frozen=True)
class EigenAction:
    """`over` a parameter from `first` to `last`, `about` the equilibrium or the start; or about steady motions over
    their speed. The other parameters and start values are those that were changed.
    """

    over: str
    first: float
    last: float
    count: int
    about: str
    parameters: Mapping[str, float]
    start: Values

    @property
    def values(self) -> list[float]:
        """Values of the parameter."""
        return [float(v) for v in np.linspace(self.first, self.last, self.count)]


def eigenvalues(opened: Opened, action: EigenAction) -> Json:
    """Real and imaginary parts as curves, one for each branch, and messages."""
    if action.about not in ABOUT:
        raise UnknownNameError(action.about, ABOUT, "state to linearise about")
    if not action.first < action.last:
        raise SolveError(f"give a range from a lower value to a higher one, not {action.first:g} to {action.last:g}.")
    said: list[str] = []
    roots: list[AnyArray]
    if action.about == "steady":
        roots, unit, said = _over_speed(opened, action)
    else:
        known = opened.file.model.parameters
        if action.over not in known:
            raise UnknownNameError(action.over, known, "parameter")
        roots, said = _over_parameter(opened, action)
        unit = known[action.over].unit
    branches, values = follow(roots), np.array(action.values)
    return {
        "over": action.over,
        "unit": unit,
        "said": said,
        "values": values,
        "real": [{"t": values, "y": np.ascontiguousarray(one.real)} for one in branches],
        "imaginary": [{"t": values, "y": np.ascontiguousarray(one.imag)} for one in branches],
    }


def start_of(opened: Opened, action: EigenAction, value: float) -> Json:
    """Start values at a value of the parameter, on which some may depend."""
    return {**opened.start_at({**action.parameters, action.over: value}), **action.start}


def _over_parameter(opened: Opened, action: EigenAction) -> tuple[list[AnyArray], list[str]]:
    system, values, at_start = opened.system, action.values, action.about == "start"
    first = start_of(opened, action, values[0])
    if at_start and first != start_of(opened, action, values[-1]):
        linears, lost = [], list[list[str]]()
        for value in values:
            linears += root_locus(
                system, action.over, [value], start_of(opened, action, value), True, action.parameters
            )[0]
    else:
        linears, lost = root_locus(system, action.over, values, first, at_start, action.parameters)
    moves = sum(not one.steady for one in linears)
    said = [f"at {moves} of {len(values)} values something accelerates: eigenvalues mean little there."] * bool(moves)
    for fault in dict.fromkeys(each for found in lost for each in found):
        said.append(f"at some equilibria {fault}: a real contact would be lost there.")
    return [one.eigenvalues for one in linears], said


def _over_speed(opened: Opened, action: EigenAction) -> tuple[list[AnyArray], str, list[str]]:
    motions = SteadyMotions(opened.system, SPEED, action.start, action.parameters)
    found = motions.stability(action.first, action.last)
    said = [found.summary()]
    if found.neutral:
        are = "eigenvalue is" if found.neutral == 1 else "eigenvalues are"
        said.append(f"{found.neutral} more {are} zero at every speed")
    return [moving(one.eigenvalues, found.neutral) for one in motions.over(action.values)], found.unit, said
