"""Motion of the roots of the tree: the ground at rest, and moving frames from the expressions of their motion."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, final

import casadi as ca

from trundle.derivative import derivative_along
from trundle.model.body import Body
from trundle.model.frame import GivenMotion
from trundle.model.model import Model
from trundle.motion.motion import FrameMotion
from trundle.space.rotation import dot


@final
@dataclass(frozen=True)
class Clock:
    """What the motion of frames depends on beside parameters, and how fast that changes: time, and states with rates
    of their own.
    """

    symbols: Any
    rates: Any

    def rate(self, value: Any) -> Any:
        """Time derivative of an expression of these."""
        return derivative_along(value, self.symbols, self.rates)


@final
@dataclass(frozen=True)
class Root:
    """Motion of a root: in ground axes, and its rates in its own axes; `clock` where it moves."""

    world: FrameMotion
    w: Any
    alpha: Any
    a: Any
    clock: Clock | None = None

    def felt(self, gravity: Any) -> Any:
        """Acceleration of the origin against free fall, own axes."""
        return -gravity if self.clock is None else self.a - ca.mtimes(self.world.R.T, gravity)


Roots = Mapping[Body, Root]


def at_rest() -> Root:
    zero = ca.SX.zeros(3)
    return Root(FrameMotion.at_rest(), zero, zero, zero)


def find_roots(model: Model, signals: Any, clock: Clock) -> Roots:
    """Motion of the ground and of all moving frames of a model at signals."""
    return {b: at_rest() if b.motion is None else moving_root(b.motion, signals, clock) for b in model.roots}


def moving_root(motion: GivenMotion, signals: Any, clock: Clock) -> Root:
    """Motion of a frame; rates that are not given come from the tape."""
    p, R = motion.pose(signals)
    if motion.rates is not None:
        given = motion.rates.at(signals)
        v, w, a, alpha = (given[3 * i : 3 * i + 3] for i in range(4))
        world = FrameMotion(R, p, *(ca.mtimes(R, rate) for rate in (w, v, alpha, a)))
        return Root(world, w, alpha, a, clock)
    v = ca.densify(clock.rate(p))
    a = ca.densify(clock.rate(v))
    if motion.axis is not None:  # which is the same in the ground and in the frame
        axis, turn = ca.SX(ca.DM(motion.axis)), clock.rate(motion.turn.at(signals))
        w, alpha = axis * turn, axis * clock.rate(turn)
        return Root(FrameMotion(R, p, w, v, alpha, a), w, alpha, ca.mtimes(R.T, a), clock)
    R_rate = ca.reshape(clock.rate(ca.vec(R)), 3, 3)
    w = ca.vertcat(*[dot(R[:, (i + 2) % 3], R_rate[:, (i + 1) % 3]) for i in range(3)])  # of R' R_rate, which is skew
    alpha = clock.rate(w)
    world = FrameMotion(R, p, ca.mtimes(R, w), v, ca.mtimes(R, alpha), a)
    return Root(world, w, alpha, ca.mtimes(R.T, a), clock)


def changing(value: Any, q: Any, rates: Any, roots: Roots) -> Any:
    """Time derivative of an expression while coordinates q change at `rates` and frames move, speeds held."""
    change = derivative_along(value, q, rates)
    clock = next((root.clock for root in roots.values() if root.clock is not None), None)
    return change if clock is None else change + clock.rate(value)
