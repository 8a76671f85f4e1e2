"""Curves of periodic motions through events, by their return map and its derivative."""

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from trundle.study.continuation.curve import Curve, Judgement, Linear
from trundle.study.periodic import Return, ReturnMap
from trundle.typing import Array

DIFFERENCE = (
    1e-5  # of the range, by which the parameter is changed to see its influence: it only steers Newton's method
)
SURE = 1e-8  # logarithm of the size of a multiplier that is neither growth nor decay


@final
@dataclass(frozen=True, eq=False)
class Passage:
    """A state on the section, and the parameter."""

    x: Array
    parameter: float


@final
class ReturningCurve(Curve[Passage]):
    """States on a section to which the motion returns."""

    periodic: ClassVar[bool] = True

    def __init__(self, returns: ReturnMap, over: str, width: float) -> None:
        self.returns, self.over, self.width = returns, over, width
        self._last: tuple[Passage, Return] | None = None

    def _at(self, value: float) -> ReturnMap:
        return self.returns.with_parameters({self.over: value})

    def _returned(self, place: Passage) -> Return:
        if self._last is None or self._last[0] is not place:
            self._last = place, self._at(place.parameter)(place.x, derivative=True)
        return self._last[1]

    def period(self, place: Passage) -> float:
        """Time between two passages, s."""
        return self._returned(place).time

    def _basis(self, place: Passage) -> Array:
        """Orthonormal columns: changes that the constraints allow."""
        return np.asarray(np.linalg.qr(self._at(place.parameter).allowed_changes(place.x))[0])

    def linear(self, place: Passage, base: Passage) -> Linear:
        came, B = self._returned(place), self._basis(place)
        assert came.matrix is not None
        h = DIFFERENCE * self.width
        up, down = (self._at(place.parameter + s * h)(place.x).x for s in (1, -1))
        n = len(place.x)
        across = np.linalg.svd(B)[0][:, B.shape[1] :]  # leads off the constraints: no step goes there
        slopes = np.vstack([B.T @ (came.matrix - np.eye(n)), across.T])
        by_parameter = np.concatenate([B.T @ (up - down) / (2 * h), np.zeros(across.shape[1])])
        values = np.concatenate([B.T @ (came.x - place.x), np.zeros(across.shape[1])])
        return Linear(values, np.column_stack([slopes, by_parameter]))

    def moved(self, place: Passage, at: Linear, step: Array) -> Passage:
        value = place.parameter + float(step[-1])
        return Passage(self._at(value).consistent(place.x + step[:-1]), value)

    def unknowns(self, place: Passage) -> Array:
        return np.concatenate([place.x, [place.parameter]])

    def sizes(self, place: Passage) -> Array:
        return np.concatenate([np.maximum(0.1, np.abs(place.x)), [self.width]])

    def judge(self, place: Passage) -> Judgement:
        came, B = self._returned(place), self._basis(place)
        assert came.matrix is not None
        values = np.linalg.eigvals(B.T @ came.matrix @ B).astype(np.complex128)
        values = values[np.argsort(-np.abs(values), kind="stable")]
        growth = np.log(np.maximum(np.abs(values), 1e-300))
        return Judgement(values, np.where(np.abs(growth) < SURE, 0.0, growth), values)
