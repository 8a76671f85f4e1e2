"""The percussive equations stepped over the normal impulse, without any knowledge of phases.

Impulses act on the body at its front foot. Coulomb's law is evaluated in every small step, so that sticking and
reversal follow from it. Many impacts are stepped at once. It is slow, a check on the closed form.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from trundle.typing import Array, Index
from trundle.walker.impact.scenario import NAMES, as_numbers, check_impact, split_restitution
from trundle.walker.impact.stepped_phase import SteppedPhase, phases_of_steps

SAME_INSTANT = 1e-9  # a transition so soon after the end of a step, as a part of the step, belongs to it


class Stepped(NamedTuple):
    """Ends of stepped impacts; impulses are per mass, velocities are (v_t, v_nf, v_nb) in the last axis."""

    impulse: Array
    compression: Array
    end: Array
    history: Array
    """Velocities at the start and after each step, steps first; a finished impact keeps its last value."""
    impulses: Array
    """Normal impulse at these."""
    tangential: Array
    """Tangential impulse at these."""
    given: tuple[Array, ...]
    """Inertia ratio, half angle and restitution of each impact."""
    energetic: bool

    def phases(self, *index: int) -> tuple[SteppedPhase, ...]:
        """Phases of one impact, read from its steps."""
        at: Index = (slice(None), *index)
        lam, beta, e = (float(values[index]) for values in self.given)
        return phases_of_steps(
            self.history[at], self.impulses[at], self.tangential[at], (lam, foot_rows(beta), e, self.energetic)
        )


def foot_rows(half_angle: ArrayLike) -> Array:
    """Velocities (v_t, v_nf, v_nb) as rows over (v_x, v_y, turning L), the last clockwise. [Barjau 2022, Eq. A.2]

    Parameters
    ----------
    half_angle : float or array
        Half the angle between the spokes (rad).

    Returns
    -------
    array
        Of shape (..., 3, 3).
    """
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
    restitution: object = 0.0,
    static_friction: ArrayLike | None = None,
    steps: int = 1000,
) -> Stepped:
    """Impacts by small steps of impulse, until they end: an independent check of `predict`.

    Parameters
    ----------
    inertia_ratio, half_angle, friction, slip, approach, restitution, static_friction
        As for `predict`.
    steps : int
        No step changes a velocity by more than (|slip| + |approach|)/steps.

    Returns
    -------
    Stepped
    """
    energetic, coefficient = split_restitution(restitution, approach)
    static = friction if static_friction is None else static_friction
    given = (inertia_ratio, half_angle, friction, slip, approach, coefficient, static)
    arrays = np.broadcast_arrays(*map(as_numbers, NAMES, given))
    lam, beta, mu, v_t, v_nf, e, mu_s = (np.array(v, float) for v in arrays)
    for one in zip(*(v.ravel().tolist() for v in arrays), strict=True):
        check_impact(*one)
    rows = foot_rows(beta)
    mass = np.stack([np.ones_like(lam), np.ones_like(lam), lam], axis=-1)
    mobility = np.einsum("...ik,...k,...jk->...ij", rows, 1 / mass, rows)  # velocities of the feet per impulse
    along, normal = mobility[..., :, 0], mobility[..., :, 1]  # impulses at the front foot
    v = np.stack([v_t, v_nf, np.zeros_like(v_t)], axis=-1)
    wanted = -normal[..., 0] / along[..., 0]  # tangential part that holds a foot at rest
    largest = (np.abs(v_t) + np.abs(v_nf)) / steps
    p, q, compression = np.zeros_like(lam), np.zeros_like(lam), np.full_like(lam, np.nan)
    work, left = np.zeros_like(lam), np.full_like(lam, np.inf)  # left: impulse or work of restitution still to come
    history, impulses, tangential = [v.copy()], [p.copy()], [q.copy()]
    while np.any(left > 0):
        slides = np.where(v[..., 0] != 0, np.sign(v[..., 0]), np.where(np.abs(wanted) <= mu_s, 0.0, -np.sign(wanted)))
        kappa = np.where(slides == 0, wanted, -slides * mu)
        rate = normal + kappa[..., None] * along
        rate[..., 0] = np.where(slides == 0, 0.0, rate[..., 0])
        dp = largest / np.max(np.abs(rate), axis=-1)
        compresses = np.isnan(compression)
        if energetic:
            ahead = np.where(compresses, 0.0, left)
            root = np.sqrt(np.maximum(v[..., 1] ** 2 + 2 * rate[..., 1] * ahead, 0.0))
            lasts = np.where(compresses, np.inf, 2 * ahead / np.where(compresses, 1.0, v[..., 1] + root + 1e-300))
        else:
            lasts = left
        dp = np.where(left > 0, np.where(lasts <= dp * (1 + SAME_INSTANT), lasts, dp), 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            stop = np.where(v[..., 0] * rate[..., 0] < 0, -v[..., 0] / rate[..., 0], np.inf)
            turn = np.where(compresses & (rate[..., 1] > 0), -v[..., 1] / rate[..., 1], np.inf)
        most = dp * (1 + SAME_INSTANT)
        over = turn <= np.minimum(most, stop)
        stops = (stop <= most) & ~over
        finished = (lasts <= most) & ~over & ~stops
        dp = np.where(over, turn, np.where(stops, stop, dp))
        new = v + rate * dp[..., None]
        new[..., 0] = np.where(stops, 0.0, new[..., 0])
        new[..., 1] = np.where(over, 0.0, new[..., 1])
        work = work - np.where(compresses, dp * (v[..., 1] + new[..., 1]) / 2, 0.0)
        spent = dp * (v[..., 1] + new[..., 1]) / 2 if energetic else dp
        p, q, v = p + dp, q + kappa * dp, new
        compression = np.where(over, p, compression)
        left = np.where(over, e**2 * work if energetic else e * p, np.where(compresses, left, left - spent))
        left = np.where(finished, 0.0, left)
        history.append(v.copy())
        impulses.append(p.copy())
        tangential.append(q.copy())
    records = (np.array(history), np.array(impulses), np.array(tangential))
    return Stepped(p, compression, v, *records, (lam, beta, e), energetic)
