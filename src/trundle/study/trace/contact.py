"""Limits of a moving contact: relative curvature, the end of a surface, a second point of contact."""

from dataclasses import dataclass
from typing import final

import casadi as ca
import numpy as np

from trundle.contact.bonds import ContactBonds
from trundle.contact.fit import SHARP, fit_parts
from trundle.contact.geometry import loop_contact
from trundle.equations.derive import Equations
from trundle.kernel import compile_kernels, evaluate
from trundle.space.chain import Named
from trundle.space.rotation import dot
from trundle.typing import Array

THOROUGH_STARTS, STARTS = 192, 16  # of the search for other common normals, at the ends and at points between
NEWTON_LIMIT = 16
STRIDE = 0.5  # largest Newton step (rad or m)


@final
@dataclass(frozen=True, eq=False)
class Fit:
    """How two surfaces lie against each other at their contact."""

    curvature: float  # the smallest relative curvature (1/m); negative where they interpenetrate beside the point
    balance: float  # changes sign where a relative curvature vanishes
    areas: tuple[float, float]  # changes sign where a surface ends in a cusp or apex


@final
class FitFunction:
    """Relative curvature of a contact, from partial velocities and turns of its two sides (see `contact.fit`)."""

    def __init__(self, equations: Equations, bonds: ContactBonds) -> None:
        e, pair = equations, bonds.connection.surface_pair
        self.pair = pair
        found = fit_parts(e, bonds)
        parts = [v for sides in zip(found.X, found.N, strict=True) for v in sides]
        sharp = ca.vertcat(*found.sharp)
        self._f = ca.Function("fit", [e.q, e.p, e.t], [ca.densify(ca.horzcat(*parts)), ca.densify(sharp)])

    def __call__(self, q: Array, p: Array) -> Fit:
        parts, sharp = (out.full() for out in self._f(q, p, 0))
        X_A, N_A, X_B, N_B = np.split(parts, 4, axis=1)
        edges = [bool(value) for value in sharp.ravel()]
        balance = float(np.linalg.det(np.block([[X_A, -X_B], [N_A, N_B]])))
        total = sum(
            N @ np.linalg.pinv(X + SHARP * N * edge) for edge, X, N in zip(edges, (X_A, X_B), (N_A, N_B), strict=True)
        )
        curvature = float(np.linalg.eigvalsh((total + total.T) / 2)[0])
        areas = [
            1.0 if edge or s.ball is not None else float(np.linalg.det(X))
            for edge, s, X in zip(edges, (self.pair.first, self.pair.second), (X_A, X_B), strict=True)
        ]
        return Fit(curvature, balance, (areas[0], areas[1]))


@final
@dataclass(frozen=True, eq=False)
class Normal:
    """A common normal of the two surfaces: surface coordinates, gap along it and its foot on the first surface."""

    s: Array
    gap: float
    point: Array


@final
class Normals:
    """Finds the common normals of the two surfaces of a contact other than that of the contact itself."""

    def __init__(self, equations: Equations, bonds: ContactBonds, length: float) -> None:
        e, pair = equations, bonds.connection.surface_pair
        s = ca.SX.sym("s", len(pair.followers))
        first, second = e.motion.frame(bonds.connection.first), e.motion.frame(bonds.connection.second)
        contact = loop_contact(pair, first, second, s)
        facing = dot(contact.axes[2], contact.opposed)
        out = ca.vertcat(contact.corrections, contact.gap, facing, contact.quality, contact.point)
        own = ca.vertcat(*[e.signals[f"{bonds.connection.name}.{n}"] for n in pair.followers])
        f = ca.Function("normals", [e.t, ca.vertcat(s, e.q), e.p], [ca.densify(out)])
        self._kernel = compile_kernels({"normals": f})["normals"]
        self._own = ca.Function("own", [e.q, e.p, e.t], [ca.densify(own)])
        self.n, self.length = len(pair.followers), length
        known = {k.name: k for chart in pair.charts for k in chart.coordinates}
        self.reach = np.array([search_reach(known[name], length) for name in pair.followers])
        self._count = 0

    def own(self, q: Array, p: Array) -> Normal:
        """The contact itself."""
        s = self._own(q, p, 0).full().ravel()
        out = self._evaluate(s[None, :], q, p)[0]
        return Normal(s, float(out[self.n]), out[self.n + 3 :])

    def search(self, q: Array, p: Array, known: list[Normal], thorough: bool = False) -> list[Normal | None]:
        """The known ones followed to this pose (None if one is lost), then those newly found."""
        own = self.own(q, p)
        count = THOROUGH_STARTS if thorough else STARTS
        # Additive recurrence of the generalised golden ratio: even, and different at every step.
        root = 1.2207440846 if self.n == 4 else 1.3247179572
        alpha = root ** -np.arange(1.0, self.n + 1)
        grid = (0.5 + np.outer(np.arange(self._count, self._count + count), alpha)) % 1.0
        self._count += count
        starts = np.vstack([*[k.s for k in known], own.s + (2 * grid - 1) * self.reach])
        found = self._newton(starts, q, p)
        followed: list[Normal | None] = []
        kept = [own]
        for i, normal in enumerate(found):
            fresh = normal is not None and not any(self.same(normal, k) for k in kept)
            if fresh and normal is not None:
                kept.append(normal)
            if i < len(known):
                followed.append(normal if fresh else None)
        return [*followed, *[k for k in kept[1:] if all(k is not f for f in followed)]]

    def follow(self, normal: Normal, q: Array, p: Array) -> Normal | None:
        """One of them at another pose nearby."""
        return self._newton(normal.s[None, :], q, p)[0]

    def same(self, a: Normal, b: Normal) -> bool:
        """Whether two of them have one foot."""
        return bool(np.linalg.norm(a.point - b.point) < 1e-5 * self.length)

    def _evaluate(self, s: Array, q: Array, p: Array) -> Array:
        x = np.hstack([s, np.broadcast_to(q, (len(s), len(q)))])
        return evaluate(self._kernel, self._kernel, 0.0, x, p, threads=1)

    def _newton(self, starts: Array, q: Array, p: Array) -> list[Normal | None]:
        """Newton's method from many starts at once; None if it ends nowhere or on inner sides."""
        n, s = self.n, starts.copy()
        size = np.full(len(s), np.inf)
        moving = np.arange(len(s))
        for _ in range(NEWTON_LIMIT):
            step = self._evaluate(s[moving], q, p)[:, :n]
            size[moving] = np.max(np.abs(step), axis=1)
            sound = np.isfinite(size[moving])
            moving, step = moving[sound], step[sound]
            s[moving] += step * np.minimum(1.0, STRIDE / np.maximum(size[moving], 1e-300))[:, None]
            moving = moving[size[moving] > 1e-13]
            if not len(moving):
                break
        out = self._evaluate(s, q, p)
        good = (size < 1e-9) & (out[:, n + 1] < 0) & (np.abs(out[:, n + 2]) > 1e-7) & np.all(np.isfinite(out), axis=1)
        return [Normal(s[i], float(out[i, n]), out[i, n + 3 :]) if good[i] else None for i in range(len(s))]


def search_reach(coordinate: Named, length: float) -> float:
    """How far from a contact others are searched for: half a turn, a whole one along a helix, three lengths."""
    if coordinate.slides:
        return 3 * length
    return float(np.pi) if coordinate.closed else 2 * float(np.pi)
