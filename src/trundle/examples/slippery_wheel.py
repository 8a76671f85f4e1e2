"""The wheel of [Ikoki 2021]: driven over a slippery interval, or braked where the ground becomes slippery."""

from collections.abc import Callable

from trundle.laws.friction_law import FrictionLaw
from trundle.laws.signals import Signals
from trundle.math import abs as absolute
from trundle.math import tanh
from trundle.model.frame_forces import Wrench
from trundle.model.model import Model
from trundle.pairs.planar import Circle, Line, PlanarPair
from trundle.typing import Expr

MASS, RADIUS, INERTIA, WEIGHT = 25.0, 0.3, 1.125, 25.0 * 9.81  # kg, m, kg m^2, N; the paper gives no inertia: a disc
SPELL, SPELL_WIDTH = 10.0, 2.0  # s, t_s and s_d of Eq. 24, which the paper does not give
SLIPPERY_FROM, BRAKED_FROM = 13.0, 15.0  # s, t_s of Eq. 26 (not given) and t_b of Eq. 25


def drive(torque: float) -> Callable[[Signals], Expr]:
    """Torque of the motor (N m) [Ikoki 2021, Eq. 23]."""
    return lambda s: torque * tanh(0.5 * s["t"])


def traction(torque: float) -> Callable[[Signals], Expr]:
    """The force that the paper compares with the limit: torque over radius (N)."""
    return lambda s: drive(torque)(s) / RADIUS


def spell(lower: float = 0.3, upper: float = 0.9) -> Callable[[Signals], Expr]:
    """Friction that falls to `lower` for a while [Ikoki 2021, Eq. 24]."""
    return lambda s: lower + (upper - lower) * tanh((s["t"] - SPELL) / SPELL_WIDTH) ** 4


def sudden(lower: float, upper: float = 0.9) -> Callable[[Signals], Expr]:
    """Friction that falls to `lower` for good [Ikoki 2021, Eq. 26; there the mean is printed as 1/2]."""
    return lambda s: (upper + lower) / 2 - (upper - lower) / 2 * tanh(10 * (s["t"] - SLIPPERY_FROM))


def drag_of_turning(s: Signals) -> Expr:
    """Resistance (N) as printed: it acts even on a wheel that spins in place [Ikoki 2021, Sec. 3.1.1]."""
    return -1.7 * s["wheel.angular_velocity_y"] ** 2


def drag_of_travel(s: Signals) -> Expr:
    """The same resistance (N) from the travel of the wheel: equal while it rolls, and against the motion."""
    over = s["wheel.velocity_x"] / RADIUS
    return -1.7 * over * absolute(over)


def driven(law: FrictionLaw, torque: float, drag: Callable[[Signals], Expr] = drag_of_travel) -> Model:
    """The wheel with a motor and a bearing that damps."""
    return _wheel(law, drag, lambda s: drive(torque)(s) - 0.34 * s["wheel.angular_velocity_y"])


def braked(law: FrictionLaw, brake: float, torque: float = 50.0) -> Model:
    """The wheel with a motor and a brake that grows to twice `brake` [Ikoki 2021, Eq. 25 with a minus sign]."""

    def moment(s: Signals) -> Expr:
        grip = brake * (1 + tanh(s["t"] - BRAKED_FROM))
        return drive(torque)(s) - grip * tanh(100 * s["wheel.angular_velocity_y"])

    return _wheel(law, drag_of_travel, moment)


def _wheel(law: FrictionLaw, drag: Callable[[Signals], Expr], moment: Callable[[Signals], Expr]) -> Model:
    model = Model("wheel")
    body = model.body("wheel", MASS, (INERTIA / 2, INERTIA, INERTIA / 2))
    model.connect(PlanarPair(Line(), Circle(RADIUS)), model.ground, body, name="tyre", law=law)
    model.start["wheel.position"] = (0, 0, RADIUS)
    wrench = Wrench(body, force=lambda s: (drag(s), 0, 0), moment=lambda s: (0, moment(s), 0))
    model.apply(wrench, name="drive")
    return model
