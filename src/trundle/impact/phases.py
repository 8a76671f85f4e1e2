"""The percussive equations stepped over the normal impulse, without any knowledge of phases.

Impulses act on the body at its front foot. Coulomb's law is asked anew in every small step, implicitly, so that
sticking and reversal come out by themselves. Many impacts are stepped at once. It is slow, a check on the closed form.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from trundle.typing import Array


class Stepped(NamedTuple):
    """Ends of stepped impacts; impulses are per mass, velocities are (v_t, v_nf, v_nb) in the last axis."""

    impulse: Array
    compression: Array
    end: Array
    history: Array
    """Velocities at the start and after each step, steps first; a finished impact keeps its last value."""
    impulses: Array
    """Normal impulse at these."""


def foot_rows(half_angle: ArrayLike) -> Array:
    """Velocities (v_t, v_nf, v_nb) as rows over (v_x, v_y, turning L), the last clockwise. [Barjau 2022, Eq. A.2]"""
    beta = np.asarray(half_angle, float)
    zero, one, s, c = np.zeros_like(beta), np.ones_like(beta), np.sin(beta), np.cos(beta)
    rows = [[one, zero, -c], [zero, one, -s], [zero, one, s]]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def step_impact(
    inertia_ratio: ArrayLike,
    half_angle: ArrayLike,
    friction: ArrayLike,
    slip: ArrayLike,
    approach: ArrayLike = -1.0,
    restitution: ArrayLike = 0.0,
    steps: int = 1000,
) -> Stepped:
    """Step impacts until they end; no step changes a velocity by more than (|slip| + |approach|)/steps."""
    given = (inertia_ratio, half_angle, friction, slip, approach, restitution)
    lam, beta, mu, v_t, v_nf, e = (np.array(v, float) for v in np.broadcast_arrays(*given))
    rows = foot_rows(beta)
    mass = np.stack([np.ones_like(lam), np.ones_like(lam), lam], axis=-1)
    mobility = np.einsum("...ik,...k,...jk->...ij", rows, 1 / mass, rows)  # velocities of the feet per impulse
    along, normal = mobility[..., :, 0], mobility[..., :, 1]  # impulses at the front foot
    v = np.stack([v_t, v_nf, np.zeros_like(v_t)], axis=-1)
    sticking = np.max(np.abs(normal - normal[..., :1] / along[..., :1] * along), axis=-1)
    largest = (np.abs(v_t) + np.abs(v_nf)) / steps
    p, compression, left = np.zeros_like(lam), np.full_like(lam, np.nan), np.full_like(lam, np.inf)
    history, impulses = [v.copy()], [p.copy()]
    while np.any(left > 0):
        # A first guess of the step, as if the foot stuck, tells the direction of the impulse and so the true rates.
        guess = largest / sticking
        kappa = np.clip(-(v[..., 0] / guess + normal[..., 0]) / along[..., 0], -mu, mu)
        fastest = np.max(np.abs(normal + kappa[..., None] * along), axis=-1)
        dp = np.minimum(largest / fastest, left)
        wanted = -(v[..., 0] + normal[..., 0] * dp) / along[..., 0]  # tangential impulse that stops the foot
        dv = normal * dp[..., None] + along * np.clip(wanted, -mu * dp, mu * dp)[..., None]
        over = np.isnan(compression) & (v[..., 1] + dv[..., 1] >= 0.0)
        share = np.where(over, -v[..., 1] / np.where(over, dv[..., 1], 1.0), 1.0)  # of this step until v_nf = 0
        p, v = p + share * dp, v + share[..., None] * dv
        left = np.where(over, e * p, left - dp)
        compression = np.where(over, p, compression)
        history.append(v.copy())
        impulses.append(p.copy())
    return Stepped(p, compression, v, np.array(history), np.array(impulses))
