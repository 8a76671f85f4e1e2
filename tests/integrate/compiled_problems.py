"""Small problems as compiled functions with the signature of the kernels."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from trundle.integrate import Case, Options, Problem, Sampling, Steps, Supervision, Tolerances, integrate


class compiled:
    """Decorator of a function that numba compiles when its address is first needed, not when a module is imported."""

    def __init__(self, function: Callable[..., None]) -> None:
        self.function = function

    @cached_property
    def code(self) -> Any:
        from numba import cfunc, types

        return cfunc(types.void(*[types.CPointer(types.float64)] * 5))(self.function)

    @property
    def address(self) -> int:
        return int(self.code.address)


@dataclass(frozen=True)
class Plain:
    """A compiled function that looks like a kernel."""

    function: compiled = field(repr=False)
    n_x: int
    n_out: int
    n_p: int = 0
    work_size: int = 0
    lanes: int = 1

    @property
    def address(self) -> int:
        return self.function.address


@compiled
def _pendulum(t, x, p, out, work):
    out[0] = x[1]
    out[1] = -math.sin(x[0])


@compiled
def _pendulum_jacobian(t, x, p, out, work):
    out[0], out[1], out[2], out[3], out[4], out[5] = 0.0, -math.cos(x[0]), 1.0, 0.0, 0.0, 0.0


@compiled
def _swelling(t, x, p, out, work):
    out[0] = -2.0 * t[0] * x[0] * x[0]


@compiled
def _swelling_jacobian(t, x, p, out, work):
    out[0], out[1] = -4.0 * t[0] * x[0], -2.0 * x[0] * x[0]


@compiled
def _prothero_robinson(t, x, p, out, work):
    out[0] = -p[0] * (x[0] - math.cos(t[0])) - math.sin(t[0])


@compiled
def _prothero_robinson_jacobian(t, x, p, out, work):
    out[0], out[1] = -p[0], -p[0] * math.sin(t[0]) - math.cos(t[0])


@compiled
def _van_der_pol(t, x, p, out, work):
    out[0] = x[1]
    out[1] = p[0] * ((1.0 - x[0] * x[0]) * x[1]) - x[0]


@compiled
def _van_der_pol_jacobian(t, x, p, out, work):
    out[0], out[1] = 0.0, -2.0 * p[0] * x[0] * x[1] - 1.0
    out[2], out[3], out[4], out[5] = 1.0, p[0] * (1.0 - x[0] * x[0]), 0.0, 0.0


pendulum = Problem(rhs=Plain(_pendulum, 2, 2), jacobian=Plain(_pendulum_jacobian, 2, 6))
swelling = Problem(rhs=Plain(_swelling, 1, 1), jacobian=Plain(_swelling_jacobian, 1, 2))
prothero_robinson = Problem(
    rhs=Plain(_prothero_robinson, 1, 1, n_p=1), jacobian=Plain(_prothero_robinson_jacobian, 1, 2, n_p=1)
)
van_der_pol = Problem(rhs=Plain(_van_der_pol, 2, 2, n_p=1), jacobian=Plain(_van_der_pol_jacobian, 2, 6, n_p=1))

NO_PARAMETERS = np.zeros(0)


# A point mass on a rod in Cartesian coordinates: x = [x, y, vx, vy], x^2 + y^2 = 1.
@compiled
def _rod(t, x, p, out, work):
    out[0], out[1] = x[2], x[3]
    tension = (x[2] * x[2] + x[3] * x[3] - 9.81 * x[1]) / (x[0] * x[0] + x[1] * x[1])
    out[2], out[3] = -tension * x[0], -tension * x[1] - 9.81


@compiled
def _rod_projection(t, x, p, out, work):
    square = x[0] * x[0] + x[1] * x[1]
    g = 0.5 * (square - 1.0)
    rate = x[0] * x[2] + x[1] * x[3]
    qx, qy = x[0] - g / square * x[0], x[1] - g / square * x[1]
    along = (qx * x[2] + qy * x[3]) / (qx * qx + qy * qy)
    out[0], out[1], out[2], out[3] = qx, qy, x[2] - along * qx, x[3] - along * qy
    out[4], out[5] = abs(g), abs(rate)
    out[6] = x[0] * x[0]  # a monitor that vanishes where the rod hangs straight down


rod = Problem(rhs=Plain(_rod, 4, 4), project=Plain(_rod_projection, 4, 7), n_q=2, n_u=2, singular_limit=1e-3)


LIMITS = {
    "first_step": "first",
    "max_step": "longest",
    "min_step": "shortest",
    "fixed_step": "fixed",
    "max_steps": "most",
}
LIMITS |= {"max_steps": "most", "max_events": "most_events"}


def options(**words: Any) -> Options:
    """The options of an integration from single words."""
    samples = Sampling(words.pop("samples", None))
    tolerances = Tolerances(**{name: words.pop(name) for name in ("rtol", "atol") if name in words})
    limits = Steps(**{LIMITS[name]: words.pop(name) for name in list(words) if name in LIMITS})
    return Options(tolerances, samples, limits, Supervision(**words))


def integrate_with(problem, method, t0, t1, x0, p, **words):
    """`integrate` with options as single words."""
    return integrate(problem, method, Case(t0, t1, x0, p), options(**words))
