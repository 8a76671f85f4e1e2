"""Motion of the roots of the tree: the ground at rest, and moving frames from the expressions of their motion."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import final

import casadi as ca

from trundle.derivative import derivative_along
from trundle.errors import ModelError
from trundle.laws.signals import NamedSignals
from trundle.model.body import Body
from trundle.model.frame import FrameSignals, GivenMotion
from trundle.model.model import Model
from trundle.motion.motion import FrameMotion
from trundle.space.rotation import dot
from trundle.typing import Expr


@final
@dataclass(frozen=True)
class Clock:
    """What the motion of frames depends on besides parameters (time, and states with rates of their own), and the rates
    of these.
    """

    symbols: Expr
    rates: Expr

    def rate(self, value: Expr) -> Expr:
        """Time derivative of an expression of these."""
        return derivative_along(value, self.symbols, self.rates)


@final
@dataclass(frozen=True)
class Root:
    """Motion of a root: in ground axes, and its rates in its own axes; `clock` where it moves."""

    world: FrameMotion
    w: Expr
    alpha: Expr
    a: Expr
    clock: Clock | None = None

    def proper_acceleration(self, gravity: Expr) -> Expr:
        """Acceleration of the origin relative to free fall, own axes."""
        return -gravity if self.clock is None else self.a - ca.mtimes(self.world.R.T, gravity)


Roots = Mapping[Body, Root]


@final
class FrameRates:
    """Rates of the states that frames may depend on.

    Those that follow from time, parameters and states are expressions of these; for others, which follow from the
    motion of bodies, a symbol stands until that motion is known.
    """

    def __init__(self, model: Model, t: Expr, states: Mapping[str, Expr]) -> None:
        self._model, self._t, self._states = model, t, states
        self._known = {name: x.symbol for name, x in model.parameters.items()} | dict(states)
        self.unknown: dict[str, Expr] = {}
        self.rates: dict[str, Expr] = {}
        for state in model.every_state() if model.frames else ():
            try:
                self.rates[state.name] = ca.SX(state.rate(FrameSignals(t, self._known)))
            except Exception:  # it uses signals that a frame cannot have; its own faults are reported elsewhere
                self.rates[state.name] = self.unknown[state.name] = ca.SX.sym(f"rate of {state.name}")

    def roots(self, found: Mapping[str, Expr] | None = None) -> Roots:
        """Motion of all roots; `found` are rates that were unknown."""
        rates = self.rates | dict(found or {})
        names = list(rates)
        symbols = ca.vertcat(self._t, *[self._states[name] for name in names])
        clock = Clock(symbols, ca.vertcat(1, *[rates[name] for name in names]))
        return find_roots(self._model, FrameSignals(self._t, self._known, rates), clock)

    def needed(self, roots: Roots) -> list[str]:
        """Unknown rates that accelerations of frames depend on; ModelError where velocities do."""
        names = []
        for name, symbol in self.unknown.items():
            for body, root in roots.items():
                if ca.depends_on(ca.vertcat(root.world.v, root.world.w), symbol):
                    raise ModelError(
                        f"frame {body.name!r}: its velocity depends on the rate of state {name!r}, which depends on "
                        "the motion of bodies, so its acceleration would depend on accelerations. Let it depend on "
                        f"a state whose rate is another state: m.state('place', lambda s: s[{name!r}])."
                    )
                if name not in names and ca.depends_on(ca.vertcat(root.world.a, root.world.alpha), symbol):
                    names.append(name)
        return names


def at_rest() -> Root:
    zero = ca.SX.zeros(3)
    return Root(FrameMotion.at_rest(), zero, zero, zero)


def find_roots(model: Model, signals: NamedSignals, clock: Clock) -> Roots:
    """Motion of the ground and of all moving frames of a model at signals."""
    return {b: at_rest() if b.motion is None else moving_root(b.motion, signals, clock) for b in model.roots}


def moving_root(motion: GivenMotion, signals: NamedSignals, clock: Clock) -> Root:
    """Motion of a frame; rates that are not given come from the tape."""
    p, R = motion.pose(signals)
    if motion.rates is not None:
        given = motion.rates.at(signals)
        v, w, a, alpha = (given[3 * i : 3 * i + 3] for i in range(4))
        world = FrameMotion(R, p, *(ca.mtimes(R, rate) for rate in (w, v, alpha, a)))
        return Root(world, w, alpha, a, clock)
    v = ca.densify(clock.rate(p))
    a = ca.densify(clock.rate(v))
    if motion.axis is not None:  # the axis is the same in the ground and in the frame
        axis, turn = ca.SX(ca.DM(motion.axis)), clock.rate(motion.turn.at(signals))
        w, alpha = axis * turn, axis * clock.rate(turn)
        return Root(FrameMotion(R, p, w, v, alpha, a), w, alpha, ca.mtimes(R.T, a), clock)
    R_rate = ca.reshape(clock.rate(ca.vec(R)), 3, 3)
    w = ca.vertcat(*[dot(R[:, (i + 2) % 3], R_rate[:, (i + 1) % 3]) for i in range(3)])  # of R' R_rate, which is skew
    alpha = clock.rate(w)
    world = FrameMotion(R, p, ca.mtimes(R, w), v, ca.mtimes(R, alpha), a)
    return Root(world, w, alpha, ca.mtimes(R.T, a), clock)


def time_derivative(value: Expr, q: Expr, rates: Expr, roots: Roots) -> Expr:
    """Time derivative of an expression while coordinates q change at `rates` and frames move, speeds held."""
    change = derivative_along(value, q, rates)
    clock = next((root.clock for root in roots.values() if root.clock is not None), None)
    return change if clock is None else change + clock.rate(value)
