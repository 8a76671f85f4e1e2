"""Critical values of a collision of the two-foot wheel, and the centre about which a motion turns."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from trundle.typing import Array, Expr


class Critical(NamedTuple):
    """Coefficients of friction, and a half angle, at which the kind of impact changes."""

    mu_DP: Expr
    """A foot that slides forward with less friction drives the back foot down at once; 0 where none is small enough."""
    mu_c: Expr
    """The least friction with which a foot that rests stays at rest."""
    tan_beta: Expr
    """Friction with which the impulse passes through the centre G: with more, the wheel turns clockwise."""
    mu_j: Expr
    """With more friction, a foot that slides forward jambs: it is driven into the ground."""
    beta_DP: Expr
    """Half angle (rad) up to which no friction sends the back foot down at once; pi/2 if that holds for all."""
    mu_DP_backward: Expr
    """A foot that slides backward with more friction drives the back foot down at once; 0 where any friction does."""


def critical_values(inertia_ratio: ArrayLike, half_angle: ArrayLike) -> Critical:
    """Critical coefficients of friction of a wheel.

    Parameters
    ----------
    inertia_ratio : float or array
        I_G / (m L^2).
    half_angle : float or array
        Half the angle between the spokes (rad).

    Returns
    -------
    Critical
        Arrays give arrays.
    """
    lam, beta = np.asarray(inertia_ratio, float), np.asarray(half_angle, float)
    s, c = np.sin(beta), np.cos(beta)
    found = (
        np.maximum((s**2 - lam) / (s * c), 0.0),
        s * c / (lam + c**2),  # [Barjau 2022, Eq. 4.1]
        np.tan(beta) + 0 * lam,
        (lam + s**2) / (s * c),  # [Barjau 2022, Eq. A.6]
        np.arcsin(np.sqrt(np.clip(lam, 0.0, 1.0))) + 0 * beta,
        np.maximum((lam - s**2) / (s * c), 0.0),  # [Barjau 2022, Eq. A.4b]
    )
    return Critical(*(value if np.ndim(value) else float(value) for value in found))


def centre_of_motion(before: ArrayLike, after: ArrayLike) -> tuple[Array, Array]:
    """Percussion centre of a measured change of motion. [Barjau 2022, Eq. B.1]

    Parameters
    ----------
    before, after : array
        (v_x, v_y, turning) of G in the last axis: forward, away from the ground, clockwise.

    Returns
    -------
    x, y : array
        From G, in units of the velocities over the turning; infinite if the turning did not change.
    """
    change = np.asarray(after, float) - np.asarray(before, float)
    with np.errstate(divide="ignore", invalid="ignore"):
        return change[..., 1] / change[..., 2], -change[..., 0] / change[..., 2]
