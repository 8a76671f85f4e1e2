"""Every freedom must move some inertia; the errors name the joint or body that has none."""

from collections.abc import Sequence
from typing import Any

import casadi as ca
import numpy as np

from trundle.equations.derive import Equations
from trundle.equations.functions import normalised
from trundle.equations.saddle import dense
from trundle.errors import ModelError

MASS_CHECK_LIMIT = 60  # speeds; beyond, only the absence of any mass is looked for
Array = np.ndarray[Any, np.dtype[np.float64]]


def check_mass(equations: Equations, p: Array) -> None:
    """Every freedom must move some inertia; the error names the joint that does not."""
    e = equations
    moved: dict[int, bool] = {}
    values = {
        b: np.any(np.array(ca.DM(ca.Function("m", [e.p], [ca.vertcat(i.mass, ca.vec(i.matrix))])(p))))
        for b, i in e.inertias.items()
    }
    for k in reversed(range(len(e.tree.links))):
        link = e.tree.links[k]
        moved[k] = any(values[b] for b, _ in link.bodies) or any(moved[c] for c in link.children)
        if not moved[k]:
            c = link.joint.connection
            raise ModelError(
                f"nothing that moves with {c.name}.{link.name} has mass: body {link.joint.child.name!r} and all "
                f"bodies beyond connection "
                f"{c.name!r} are massless, so a force would give an infinite acceleration. Give "
                f"{link.joint.child.name!r} a mass and "
                "an inertia, or fix it to a body that has them."
            )
    if e.n_u > MASS_CHECK_LIMIT:
        return
    M = ca.vertcat(*[dense(row, e.n_u).T for row in e.mass])
    rng = np.random.default_rng(3)
    f = ca.Function("M", [e.q, e.p], [ca.densify(M)])
    least = np.full(e.n_u, 0.0)
    for _ in range(3):
        A = np.array(ca.DM(f(normalised(rng.normal(size=e.n_q), e.motion.quaternions), p)))
        least = np.maximum(least, _pivots(A, e.motion.leaves_first()))
    for link in e.tree.links:
        if np.any(least[link.i_u : link.i_u + link.n_u] < 1e-12):
            c = link.joint.connection
            raise ModelError(
                f"the motion {c.name}.{link.name} meets no inertia: what lies beyond connection {c.name!r} (body "
                f"{link.joint.child.name!r} first) has mass, but none that this freedom moves, for instance a "
                f"point mass on the axis of a "
                "hinge. Give the body an inertia, or take the freedom out."
            )


def check_every_mass(equations: Equations, p: Array) -> None:
    """Absolute coordinates need a mass and an inertia about every axis for each single body."""
    e = equations
    for body, inertia in e.inertias.items():
        values = np.array(ca.DM(ca.Function("m", [e.p], [ca.horzcat(inertia.mass * ca.SX.eye(3), inertia.matrix)])(p)))
        mass, moments = values[0, 0], np.linalg.eigvalsh(values[:, 3:])
        if mass <= 0 or moments[0] <= 1e-13 * moments[2]:
            raise ModelError(
                f"body {body.name!r} has no mass or no inertia about some axis (mass {mass:g} kg, principal moments "
                f"{', '.join(f'{v:.3g}' for v in moments)} kg m^2). In the formalism 'newton_euler' every body is free "
                "before it is constrained and needs both; give it a small inertia, or use formalism='kane'."
            )


def _pivots(A: Array, order: Sequence[int]) -> Array:
    """Pivots of the elimination, relative to the diagonal."""
    A = A.copy()
    out = np.zeros(len(A))
    diagonal = np.maximum(np.abs(np.diag(A)), 1e-300)
    scale = float(np.max(diagonal, initial=0.0))
    for k in order:
        out[k] = A[k, k] / diagonal[k] if diagonal[k] > 1e-14 * scale else 0.0
        if out[k] > 1e-14:
            A -= np.outer(A[:, k], A[k]) / A[k, k]
    return out
