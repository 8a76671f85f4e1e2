"""Where a branch changes: folds, Hopf points, branch points and those of periodic motions, found between two points."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, final

import numpy as np

from trundle.errors import SolveError
from trundle.study.continuation.curve import AnyFollower, Follower, Judgement, Node

P = TypeVar("P")
REAL = 1e-6  # imaginary part over the size of a value that is taken for real
HALVINGS = 48

DESCRIPTIONS = {
    "fold": "two motions meet and vanish: the parameter turns round (saddle-node)",
    "Hopf": "a pair of eigenvalues crosses the imaginary axis: periodic motions begin",
    "branch point": "a real eigenvalue (or a multiplier at 1) crosses: another branch passes through",
    "period doubling": "a multiplier crosses -1: motions of twice the period begin",
    "torus": "a pair of multipliers crosses the unit circle: motions with a second frequency begin",
}


@final
@dataclass(frozen=True, eq=False)
class Special(Generic[P]):
    """A point at which a branch changes: `kind`, the parameter there, and the eigenvalue or multiplier that crosses."""

    kind: str
    parameter: float
    value: complex
    node: Node[P]
    after: int  # number of the point of the branch before it

    @property
    def frequency(self) -> float:
        """Of the motions that begin at a Hopf point, Hz."""
        return abs(self.value.imag) / (2 * np.pi) if self.kind == "Hopf" else np.nan

    def __repr__(self) -> str:
        more = f", {self.frequency:.6g} Hz" if self.kind == "Hopf" else ""
        return f"<{self.kind} at {self.parameter:.10g}{more}>"

    @property
    def description(self) -> str:
        """What it is."""
        return DESCRIPTIONS[self.kind]


AnySpecial = Special[Any]  # of a branch of any kind


def specials(
    follower: Follower[P], a: tuple[Node[P], Judgement], b: tuple[Node[P], Judgement], length: float, after: int
) -> list[Special[P]]:
    """Special points between two neighbouring points, the first of which has the index `after`."""
    (node, before), (next_node, behind) = a, b
    judge = follower.curve.judge
    change = behind.growing - before.growing
    found: list[Special[P]] = []
    if node.tangent[-1] * next_node.tangent[-1] < 0:
        at = _zero(follower, node, length, lambda n: float(n.tangent[-1]))
        there = judge(at.place)
        found.append(Special("fold", at.parameter, _nearest(there), at, after))
        if abs(change) == 1:  # that of the fold itself
            return found
    if change == 0:
        return found
    k = min(before.growing, behind.growing)  # the value with this number, by growth, crosses
    if min(before.growth[k], behind.growth[k]) < 0:
        at = _zero(follower, node, length, lambda n: float(judge(n.place).growth[k]))
    else:
        at = _halved(follower, node, length, lambda n: judge(n.place).growing == before.growing)
    there = judge(at.place)
    more = behind if change > 0 else before
    value = complex(there.turning[min(k, len(there.turning) - 1)])
    swings = complex(more.turning[k])
    found.append(Special(_kind(follower, swings), at.parameter, value, at, after))
    return found


def _kind(follower: AnyFollower, value: complex) -> str:
    real = abs(value.imag) <= REAL * max(abs(value), 1e-300)
    if follower.curve.periodic:
        return ("branch point" if value.real > 0 else "period doubling") if real else "torus"
    return "branch point" if real else "Hopf"


def _nearest(there: Judgement) -> complex:
    """The value nearest to crossing."""
    return complex(there.turning[int(np.argmin(np.abs(there.growth)))]) if len(there.growth) else complex(np.nan)


def _zero(follower: Follower[P], node: Node[P], length: float, test: Callable[[Node[P]], float]) -> Node[P]:
    """The point between a node and the one at `length` at which a test function changes its sign."""
    from scipy.optimize import brentq

    values: dict[float, float] = {0.0: test(node)}

    def value(s: float) -> float:
        if s not in values:
            values[s] = test(follower.step(node, s))
        return values[s]

    if value(0.0) * value(length) > 0:
        raise SolveError("the kind of change there could not be determined.")
    return follower.step(node, float(brentq(value, 0.0, length, xtol=1e-13 * length, rtol=1e-12)))


def _halved(follower: Follower[P], node: Node[P], length: float, before: Callable[[Node[P]], bool]) -> Node[P]:
    low, high = 0.0, length
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if before(follower.step(node, middle)) else (low, middle)
    return follower.step(node, (low + high) / 2)
