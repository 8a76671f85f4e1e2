"""Check that every freedom moves some inertia; the errors name the joint or body without inertia."""

from collections.abc import Callable, Sequence

import casadi as ca
import numpy as np

from trundle.equations.derive import Equations
from trundle.equations.row_functions import speed_sizes
from trundle.errors import ModelError
from trundle.linear_algebra.kkt import Sparse, dense
from trundle.motion.kinematics import normalised
from trundle.space.inertia import Inertia
from trundle.typing import Array

ROUND_OFF = 2e-13  # smaller pivots of the mass matrix, relative to its diagonal, are round-off
NOTHING = 1e-14  # smaller diagonal entries of the mass matrix of bodies of unit size are round-off of rotations
MASS_CHECK_LIMIT = 60  # number of speeds; beyond, only bodies without any mass are detected


def check_mass(equations: Equations, p: Array, length: float) -> None:
    """ModelError if a freedom moves no inertia; it names the joint."""
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
    rng = np.random.default_rng(3)
    poses = [normalised(rng.normal(size=e.n_q), e.motion.quaternions) for _ in range(3)]
    for (
        pose
    ) in poses:  # masses are independent of the model's own states, but frames may not exist for all their values
        pose[e.layout.own_slice] = [state.start for state in e.model.every_state()]
    sizes, order = speed_sizes(e, length), e.motion.leaves_first()
    like = {body: _of_unit_size(inertia, e, p, length) for body, inertia in e.inertias.items()}
    every, felt = (
        np.fmax.reduce([_pivots(sizes * A(pose) * sizes[:, None], order, nothing) for pose in poses])
        for A, nothing in (
            (_by_pose(e, e.motion.mass_matrix(like), p), NOTHING * length**2),
            (_by_pose(e, e.mass, p), 0.0),
        )
    )
    for link in e.tree.links:
        at, c = slice(link.i_u, link.i_u + link.n_u), link.joint.connection
        if np.any(every[at] < 1e-12):
            raise ModelError(
                f"the motion {c.name}.{link.name} has no inertia: the bodies beyond connection {c.name!r} (body "
                f"{link.joint.child.name!r} first) have mass, but none that this degree of freedom moves, for "
                f"instance a point mass on the axis of a hinge. Give the body an inertia, or its shape a density=, "
                f"which gives mass and inertia; or remove the degree of freedom."
            )
        if np.any(felt[at] < ROUND_OFF):
            raise ModelError(
                f"the motion {c.name}.{link.name} has an inertia that is {np.min(felt[at]):.1g} of what it carries: "
                "double precision does not resolve it. Give the bodies around connection "
                f"{c.name!r} masses and inertias with ratios up to 1e12, or remove the degree of freedom."
            )


def _of_unit_size(inertia: Inertia, equations: Equations, p: Array, length: float) -> Inertia:
    """Inertia with mass 1 and moments length^2 in place of all non-zero values, so that their sizes do not matter."""
    e = equations
    f = ca.Function("m", [e.p], [ca.densify(ca.vertcat(inertia.mass, ca.vec(inertia.matrix)))])
    numbers = np.array(ca.DM(f(p))).ravel()
    values, axes = np.linalg.eigh(numbers[1:].reshape(3, 3))
    present = values > 1e-15 * np.max(np.abs(values), initial=0.0)
    matrix = (axes * np.where(present, length**2, 0.0)) @ axes.T
    return Inertia(ca.SX(float(numbers[0] > 0)), inertia.com, ca.SX(ca.DM(matrix)))


def _by_pose(equations: Equations, rows: Sequence[Sparse], p: Array) -> Callable[[Array], Array]:
    """Numeric mass matrix as a function of the pose."""
    e = equations
    f = ca.Function("M", [e.t, e.q, e.p], [ca.densify(ca.vertcat(*[dense(row, e.n_u).T for row in rows]))])
    return lambda q: np.array(ca.DM(f(0.0, q, p)))


def check_every_mass(equations: Equations, p: Array) -> None:
    """ModelError if a body has no mass or no inertia about some axis, as absolute coordinates need."""
    e = equations
    for body, inertia in e.inertias.items():
        values = np.array(ca.DM(ca.Function("m", [e.p], [ca.horzcat(inertia.mass * ca.SX.eye(3), inertia.matrix)])(p)))
        mass, moments = values[0, 0], np.linalg.eigvalsh(values[:, 3:])
        if mass <= 0 or moments[0] <= 1e-13 * moments[2]:
            raise ModelError(
                f"body {body.name!r} has no mass or no inertia about some axis (mass {mass:g} kg, principal moments "
                f"{', '.join(f'{v:.3g}' for v in moments)} kg m^2). In the formalism 'newton_euler' every body is "
                f"first treated as free and needs both; give it a small inertia, or use formalism='kane'."
            )


def _pivots(A: Array, order: Sequence[int], nothing: float) -> Array:
    """Pivots of the elimination, relative to the diagonal; 0 where that is at most `nothing`, NaN if the matrix does
    not exist.
    """
    A = A.copy()
    out = np.zeros(len(A))
    diagonal = np.maximum(np.abs(np.diag(A)), 1e-300)
    for k in order:
        out[k] = 0.0 if diagonal[k] <= nothing else A[k, k] / diagonal[k]
        if out[k] > 1e-15:
            A -= np.outer(A[:, k], A[k]) / A[k, k]
    return out
