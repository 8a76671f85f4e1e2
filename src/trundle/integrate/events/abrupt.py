"""Classification of abrupt sign changes of event functions (compiled): a zero, a jump over zero, or a pole, which is
not a crossing.
"""

from trundle.integrate.codes import LEAPS, POLE, STEEP
from trundle.integrate.events.locate import value_at
from trundle.integrate.events.zero import round_off
from trundle.integrate.record import LoopRecord
from trundle.kernel.pointers import strict

RATIO, NEAREST, FARTHEST = 8.0, 2.0**-27, 2.0**-9  # ratio of distances from the root; smallest, largest one in the step


@strict
def value_near(run: LoopRecord, e: int, s: float) -> float:
    """Value of a function at a fraction of the step, 0 if it is mostly round-off."""
    value = value_at(run, e, s)
    return value if round_off(run, e, run.sample) < 0.1 * abs(value) else 0.0


@strict
def kind_of_change(run: LoopRecord, e: int, s: float) -> int:
    """How function e changes its sign at the fraction s of the step, judged by its size at two distances: towards a
    pole it grows on both sides, near a jump it keeps its size, towards a root it decreases.
    """
    distance = NEAREST
    while distance < FARTHEST:
        left, right = abs(value_near(run, e, s - distance)), abs(value_near(run, e, s + distance))
        if left > 0.0 and right > 0.0:
            far_left, far_right = (
                abs(value_at(run, e, s - RATIO * distance)),
                abs(value_at(run, e, s + RATIO * distance)),
            )
            if left > 2.0 * far_left and right > 2.0 * far_right:
                return POLE
            return LEAPS if left > 0.9 * far_left or right > 0.9 * far_right else STEEP
        distance *= RATIO
    return STEEP
