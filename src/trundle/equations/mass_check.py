"""Check that every freedom moves some inertia; the errors name the joint or body without inertia."""

from collections.abc import Mapping, Sequence
from random import Random

import casadi as ca
import numpy as np

from trundle.equations.derive import Equations
from trundle.equations.row_functions import speed_sizes
from trundle.errors import ModelError
from trundle.model.body import Body
from trundle.motion.kinematics import normalised
from trundle.typing import Array

ROUND_OFF = 2e-13  # smaller pivots of the mass matrix, relative to its diagonal, are round-off
NOTHING = 1e-14  # smaller diagonal entries of the mass matrix of bodies of unit size are round-off of rotations
MassesAndMoments = Mapping[Body, tuple[float, Array]]
MASS_CHECK_LIMIT = 60  # number of speeds; beyond, only bodies without any mass are detected


def check_mass(equations: Equations, p: Array, length: float) -> None:
    """ModelError if a freedom moves no inertia; it names the joint."""
    e = equations
    moved: dict[int, bool] = {}
    inertias = _numbers(e, p)
    present = {body: mass != 0 or bool(np.any(matrix)) for body, (mass, matrix) in inertias.items()}
    for k in reversed(range(len(e.tree.links))):
        link = e.tree.links[k]
        moved[k] = any(present[b] for b, _ in link.bodies) or any(moved[c] for c in link.children)
        if not moved[k]:
            c = link.joint.connection
            raise ModelError(
                f"nothing that moves with {c.name}.{link.name} has mass: body {link.joint.child.name!r} and all "
                f"bodies beyond connection "
                f"{c.name!r} are massless, so a force would give an infinite acceleration. Give "
                f"{link.joint.child.name!r} a mass and "
                "an inertia, or fix it to a body that has them."
            )
    if not 0 < e.n_u <= MASS_CHECK_LIMIT:
        return
    rng = Random(3)  # to import NumPy's would take longer than this check
    poses = [normalised(np.array([rng.gauss() for _ in range(e.n_q)]), e.motion.quaternions) for _ in range(3)]
    for pose in poses:  # masses do not depend on the model's own states, but frames may not exist for all their values
        pose[e.layout.own_slice] = [state.start for state in e.model.every_state()]
    sizes, order = speed_sizes(e, length), e.motion.leaves_first()
    matrices = _mass_matrices(e, p, poses, [{b: _of_unit_size(*i, length) for b, i in inertias.items()}, inertias])
    every, felt = (
        np.fmax.reduce([_pivots(sizes * A * sizes[:, None], order, nothing) for A in of_poses])
        for of_poses, nothing in zip(matrices, (NOTHING * length**2, 0.0), strict=True)
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


def _numbers(equations: Equations, p: Array) -> MassesAndMoments:
    """Mass of each body, and inertia matrix about its mass centre."""
    e = equations
    every = [ca.densify(ca.vertcat(one.mass, ca.vec(one.matrix))) for one in e.inertias.values()]
    numbers = np.array(ca.DM(ca.Function("m", [e.p], [ca.horzcat(ca.SX(10, 0), *every)])(p))).T
    return {body: (float(row[0]), row[1:].reshape(3, 3)) for body, row in zip(e.inertias, numbers, strict=True)}


def _of_unit_size(mass: float, matrix: Array, length: float) -> tuple[float, Array]:
    """Mass 1 and moments length^2 in place of all non-zero values, so that their sizes do not matter."""
    values, axes = np.linalg.eigh(matrix)
    present = values > 1e-15 * np.max(np.abs(values), initial=0.0)
    return float(mass > 0), (axes * np.where(present, length**2, 0.0)) @ axes.T


def _mass_matrices(
    equations: Equations, p: Array, poses: Sequence[Array], every: Sequence[MassesAndMoments]
) -> list[list[Array]]:
    """The mass matrix for several sets of inertias in several poses, from partial velocities: those of the mass centre,
    and angular ones in axes of the body.
    """
    e = equations
    bodies = list(e.inertias)
    speeds, columns = [], []
    for body in bodies:
        motion = e.motion.body(body)
        found = e.motion.partials(body, motion.p + ca.mtimes(motion.R, e.inertias[body].com))
        speeds.append([k for k, _, _ in found])
        columns += [ca.vertcat(linear, ca.mtimes(motion.R.T, angular)) for _, angular, linear in found]
    f = ca.Function("partials", [e.t, e.q, e.p], [ca.densify(ca.horzcat(ca.SX(6, 0), *columns))])
    ends = np.cumsum([len(k) for k in speeds])[:-1]
    parts = [np.split(np.array(ca.DM(f(0.0, pose, p))), ends, axis=1) for pose in poses]
    out = [[np.zeros((e.n_u, e.n_u)) for _ in poses] for _ in every]
    for matrices, inertias in zip(out, every, strict=True):
        for A, part in zip(matrices, parts, strict=True):
            for body, at, J in zip(bodies, speeds, part, strict=True):
                mass, moments = inertias[body]
                A[np.ix_(at, at)] += mass * J[:3].T @ J[:3] + J[3:].T @ moments @ J[3:]
    return out


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
