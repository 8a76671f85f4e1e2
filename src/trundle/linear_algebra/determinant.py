"""Whether a matrix of loads with friction leaves one acceleration, by its pivots on the tape."""

from collections.abc import Sequence
from functools import cached_property, reduce
from typing import final

import casadi as ca

from trundle.linear_algebra.shift import HIDDEN, REDUNDANT
from trundle.typing import Expr


@final
class Determinant:
    """Product of one factor per row: the ratio of pivots with and without friction; `others` are inverse pivots with
    friction in another order.
    """

    def __init__(self, factors: Sequence[Expr] = (), hides: bool = False, others: Sequence[Expr] = ()) -> None:
        self.factors, self.hides, self.others = factors, hides, others
        self.value = ca.SX(1)
        for factor in factors:
            self.value = self.value * factor

    @cached_property
    def judged(self) -> Expr:
        """Positive if the pivots are in one of the orders, as `exchanged_pivots` explains; negative also where a small
        shift hides that they vanish.
        """
        lowest, smallest = ca.SX(1), ca.SX(1)
        for factor in self.factors:
            lowest, smallest = ca.fmin(lowest, factor), ca.fmin(smallest, ca.fabs(factor))
        if self.others:
            lowest = ca.fmax(lowest, reduce(ca.fmin, self.others))
        value = ca.if_else(lowest < 0, -ca.fabs(self.value), self.value)
        return value * (1 - HIDDEN * REDUNDANT / ca.fmax(smallest, ca.fabs(value))) if self.hides else value
