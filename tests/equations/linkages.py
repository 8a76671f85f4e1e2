"""Linkages that move although the count of their constraints says that they cannot, and closers that hold twice."""

from collections.abc import Callable, Sequence
from math import asin, radians, sin

import numpy as np
from scipy.optimize import least_squares
from scipy.spatial.transform import Rotation
from tests.equations.mechanisms import INERTIA, bricard

import trundle as tr

Links = Sequence[tuple[float, float]]  # length, twist
SKEW = (0.3, -0.5, 0.8)


def _step(angle: float, length: float, twist: float) -> np.ndarray:
    """From one hinge to the next [Denavit & Hartenberg 1955]."""
    T = np.eye(4)
    T[:3, :3] = (Rotation.from_euler("z", angle) * Rotation.from_euler("x", twist)).as_matrix()
    T[:3, 3] = Rotation.from_euler("z", angle).apply((length, 0, 0))
    return T


def ring(name: str, links: Links, first: float) -> tr.Model:
    """Hinges in a ring, the last link on the ground; the angles that close it are searched for."""
    n = len(links)

    def open_by(angles: np.ndarray) -> np.ndarray:
        T = np.eye(4)
        for angle, link in zip((first, *angles), links, strict=True):
            T = T @ _step(angle, *link)
        return np.ravel((T - np.eye(4))[:3])

    for seed in range(400):
        start = np.random.default_rng(seed).uniform(-3, 3, n - 1)
        found = least_squares(open_by, start, xtol=1e-15, ftol=1e-15, gtol=1e-15)
        if np.max(np.abs(found.fun)) < 1e-12:
            break
    else:
        raise ValueError(f"{name} does not close")
    m, T, hinges = tr.Model(name, gravity=(0.3, -0.5, -9.7)), np.eye(4), []
    for angle, link in zip((first, *found.x), links, strict=True):
        hinges.append((T[:3, 3], T[:3, 2]))
        T = T @ _step(angle, *link)
    last = m.ground
    for i, (point, axis) in enumerate(hinges):
        centre = (point + hinges[(i + 1) % n][0]) / 2 + (0.03, -0.03, 0.015)
        body = m.ground if i == n - 1 else m.body(f"b{i}", 1.3, INERTIA, tuple(centre))
        m.connect(tr.Revolute(tuple(axis)), last.at(*point), body.at(*point), name=f"j{i}")
        last = body
    return m


def bennett(first: float = 0.6) -> tr.Model:
    """Four hinges, links 1 and 0.6, twist 50 degrees."""
    link, other = (1.0, radians(50)), (0.6, asin(0.6 * sin(radians(50))))
    return ring("Bennett", [link, other] * 2, first)


def goldberg() -> tr.Model:
    """Two Bennett linkages that share a link, which is left out."""
    a, b, c = ((sin(radians(twist)), radians(twist)) for twist in (40, 70, 25))
    return ring("Goldberg", [(a[0] + c[0], a[1] + c[1]), b, c, a, b], 0.9)


def trihedral_bricard() -> tr.Model:
    """Six equal links, twists of 70 degrees to either side in turn."""
    return ring("Bricard, threefold", [(1.0, radians(70)), (1.0, radians(-70))] * 3, 0.7)


def plane_symmetric_bricard() -> tr.Model:
    """Six hinges, two of them in the plane y = 0, the others mirrored in it: a half moves as if its last hinge had to
    stay in the plane, which takes two of three freedoms.
    """
    m = tr.Model("Bricard, plane-symmetric", gravity=(0.3, -0.5, -9.7))
    half = [((0, 0, 0), (0.2, 0, 1)), ((0.2, 0.8, 0.1), (0.9, 0.3, 0.4)), ((1.3, 0.9, 0.3), (-0.2, 0.5, 0.8))]
    last = ((1.6, 0, 0.2), (0.4, 0, 1))
    mirror = np.array((1, -1, 1))
    hinges = [(np.array(p), np.array(a)) for p, a in (*half, last)]
    hinges += [(mirror * p, mirror * a) for p, a in (hinges[2], hinges[1])]
    first = m.ground
    for i, (point, axis) in enumerate(hinges):
        centre = (point + hinges[(i + 1) % 6][0]) / 2
        body = m.ground if i == 5 else m.body(f"b{i}", 1.3, INERTIA, tuple(centre))
        m.connect(tr.Revolute(tuple(axis)), first.at(*point), body.at(*point), name=f"j{i}")
        first = body
    return m


def sarrus() -> tr.Model:
    """A platform on two pairs of panels: it moves up and down."""
    m = tr.Model("Sarrus")
    platform = m.body("platform", 2.0, INERTIA, (0, 0, 0.6))
    for k, (axis, out) in enumerate((((1, 0, 0), (0, 1, 0)), ((0, 1, 0), (1, 0, 0)))):
        low, middle = np.array(out, float), 1.5 * np.array(out) + (0, 0, 0.3)
        high = low + np.array((0, 0, 0.6))
        panels = [m.body(f"{n}{k}", 1.0, INERTIA, tuple((p + middle) / 2)) for n, p in (("low", low), ("high", high))]
        ends = [(m.ground, panels[0], low), (panels[0], panels[1], middle), (panels[1], platform, high)]
        for name, (first, second, at) in zip("ABC", ends, strict=True):
            law = {"law": tr.Spring(30.0)} if name == "C" else {}
            m.connect(tr.Revolute(axis), first.at(*at), second.at(*at), name=f"{name}{k}", **law)
    return m


def plane_four_bar(axis: tuple[float, ...] = SKEW) -> tr.Model:
    """A planar four-bar in a plane across the axis."""
    z = np.array(axis) / np.linalg.norm(axis)
    x = np.cross(z, (1, 0, 0)) / np.linalg.norm(np.cross(z, (1, 0, 0)))
    y = np.cross(z, x)

    def at(a: float, b: float) -> tuple[float, ...]:
        return tuple(a * x + b * y + (0.3, 0.2, -0.1))

    m = tr.Model("planar loop in space")
    centres = {"crank": at(0, 0.2), "coupler": at(0.5, 0.6), "rocker": at(1.1, 0.4)}
    crank, coupler, rocker = (m.body(name, 1.3, INERTIA, centre) for name, centre in centres.items())
    joints = [(m.ground, crank, at(0, 0)), (m.ground, rocker, at(1.2, 0)), (crank, coupler, at(0.1, 0.4))]
    for i, (first, second, place) in enumerate([*joints, (coupler, rocker, at(1.0, 0.8))]):
        m.connect(tr.Revolute(tuple(z)), first.at(*place), second.at(*place), name=f"j{i}")
    return m


def held_twice(pair: Callable[[tuple[float, ...]], object], axis: tuple[float, ...] = SKEW, times: int = 2) -> tr.Model:
    """A body held by the same pair several times along one axis."""
    m = tr.Model("held twice")
    body = m.body("body", 10.0, (0.8, 1.4, 1.1, 0.05, -0.1, 0.07), (0.4, 0.1, 0.3))
    for i in range(times):
        place = np.array((0.1, 0.2, 0.3)) + 1.3 * i * np.array(axis) / np.linalg.norm(axis)
        m.connect(pair(axis), m.ground.at(*place), body.at(*place), name=f"h{i}")
    return m


def plates(turn: object = None) -> tr.Model:
    """Two plates that slide on the ground and on each other: the loop adds no independent constraint."""
    m = tr.Model("plates")
    a, b = (m.body(n, 1.3, INERTIA, c) for n, c in (("a", (0.1, 0.2, 0)), ("b", (0.4, 0, 0.1))))
    for i, (first, second) in enumerate(((m.ground, a), (a, b), (m.ground, b))):
        place = (0.1 * i, 0.2 * i**2, 0.3)
        m.connect(tr.Planar("z"), first.frame(place, turn), second.frame(place, turn), name=f"p{i}")
    return m


LINKAGES: dict[str, Callable[[], tr.Model]] = {
    "Bennett": bennett,
    "Goldberg": goldberg,
    "Bricard": bricard,
    "Bricard, threefold": trihedral_bricard,
    "Bricard, plane-symmetric": plane_symmetric_bricard,
    "Sarrus": sarrus,
    "planar loop in space": plane_four_bar,
    "two-hinge door": lambda: held_twice(tr.Revolute),
    "two slides": lambda: held_twice(tr.Prismatic),
}
