"""Motion of the track frame in the small-angle form of [Zboinski 2011], and its distance from the exact one."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import numpy as np

from trundle.rail.track.track_frame import vector
from trundle.typing import Array, Expr

if TYPE_CHECKING:
    from trundle.rail.track.alignment import Alignment


@final
@dataclass(frozen=True)
class SmallAngles:
    """Motion of the track frame in its own axes by small angles; error_w, error_eps and error_a are its errors."""

    w: Array  # rad/s
    eps: Array  # rad/s^2
    v: Array  # m/s
    a: Array  # m/s^2
    error_w: Array
    error_eps: Array
    error_a: Array


def small_angles(line: "Alignment", s: Expr, speed: Expr, acceleration: Expr, as_printed: bool) -> SmallAngles:
    """Eqs. 64 to 75, in the axes of this library: the curve turns left where the curvature is positive.

    The Frenet trihedron t, n, b has n to the left and b up; kappa has the sign of the turn. phi is the angle of n over
    the horizontal, gamma the cant angle; the paper takes gamma_t for gamma and phi_t for phi. Without a rise of the
    centre line the form is exact.
    """
    exact = line.motion(s, speed, acceleration)
    at = line.local(s)
    v, a = np.broadcast_arrays(np.asarray(speed, float), np.asarray(acceleration, float))
    across = at.k * at.cos_g
    side = np.where(across < 0.0, -1.0, 1.0)
    kappa = side * np.sqrt(across**2 + at.g1**2)  # [Zboinski 2011, Eq. 64]
    square = np.where(kappa == 0.0, 1.0, kappa**2)
    across1 = at.k1 * at.cos_g - at.k * at.sin_g * at.g1
    tau = at.k * at.sin_g + (across * at.g2 - at.g1 * across1) / square  # Eq. 65
    kappa1 = (across * across1 + at.g1 * at.g2) / np.where(kappa == 0.0, 1.0, kappa)
    safe = np.where(kappa == 0.0, 1.0, kappa)
    phi = np.arcsin(np.clip(at.g1 * at.cos_g / safe, -1.0, 1.0))  # Eq. 74
    gamma = np.arcsin(at.sin_b)  # Eq. 73
    # Eqs. 71 and 72 do not agree as printed: cant that raises the right rail is a negative roll, also against n.
    roll, tilt = (1.0, gamma - phi) if as_printed else (-1.0, gamma + phi)
    w_t, eps_t = roll * at.b1 * v, roll * (at.b2 * v**2 + at.b1 * a)
    w_b, eps_b = kappa * v, kappa1 * v**2 + kappa * a
    twist = 1.0 if as_printed else -1.0  # Eq. 70 is printed with a plus
    eps_n = v * kappa * w_t + twist * v * tau * w_b
    sine, cosine = np.sin(tilt), np.cos(tilt)
    w = vector(w_t, -sine * w_b, cosine * w_b)  # Eq. 75
    eps = vector(eps_t, cosine * eps_n - sine * eps_b, sine * eps_n + cosine * eps_b)
    # Eq. 67 lacks the normal part v^2 kappa n.
    normal = 0.0 * w_b if as_printed else v * w_b
    acc = vector(a + 0.0 * w_b, cosine * normal, sine * normal)
    return SmallAngles(w, eps, exact.v, acc, w - exact.w, eps - exact.eps, acc - exact.a)
