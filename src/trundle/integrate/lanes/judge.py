"""Evaluation of the guards at the ends of steps for all lanes at once: vector code, like the equations of a model.

It is called after every step of a batch, where a loop over the lanes would be too slow.
"""

from functools import cache

import casadi as ca
import numpy as np

from trundle.integrate.codes import EVEN, FADES, MUCH
from trundle.kernel import Kernel, aligned, compile_kernels


@cache
def judge_kernel(guards: int, lanes: int) -> Kernel:
    """Kernel with two groups of inputs: values at the ends of steps, their signs, step lengths and flags of lanes with
    an accepted step; and the state of each guard before the step (value, change, contribution of the curvature, length
    of the step). Outputs: the state after the step, for lanes with an accepted step, and a flag, 1 if a guard of the
    lane has not changed evenly or has changed its sign.

    The contribution of the curvature decays from step to step, and grows with the square of the step.
    """
    names = ("after", "sign", "value", "change", "turn")
    after, sign, value, change, turn = (ca.SX.sym(name, guards) for name in names)
    step, taken, lapse = (ca.SX.sym(name) for name in ("step", "taken", "lapse"))
    longer, moved = step / lapse, after - value
    least = ca.fmin(sign * value, sign * after)
    turned = ca.fmax(FADES * longer**2 * turn, 2 * step / (step + lapse) * ca.fabs(moved - longer * change))
    even = ca.logic_and(ca.fabs(moved) <= MUCH * least, turned <= EVEN * least)
    known = ca.vertcat(value, change, turn, lapse)
    later = ca.if_else(taken, ca.vertcat(after, moved, turned, step), known)
    uneven = ca.logic_and(taken, ca.logic_not(ca.mmin(even)))
    seen = ca.vertcat(after, sign, step, taken)
    judge = ca.Function("judge", [ca.SX.sym("t"), seen, known], [ca.vertcat(later, uneven)])
    return compile_kernels({"judge": judge}, lanes)["judge"]


def guard_places(states: int, guards: int, lanes: int) -> dict[str, np.ndarray]:
    """Arrays for the guards of lanes. Slopes at the ends of steps are followed by values there, as in the kernel that
    computes both, then by the steps.
    """
    g, block = guards, aligned(states + 2 * guards + 2, lanes)
    probe = block[states:]
    found = {"scratch": block, "h": probe[2 * g], "taken": probe[2 * g + 1]}
    found |= {"guard_probe": probe[:g], "guard_sign": probe[g : 2 * g]}
    found |= {f"guard_{name}": aligned(3 * g + 2, lanes) for name in ("known", "later")}
    return found | {f"guard_{name}": aligned(g, lanes) for name in ("middle", "low", "high")}
