"""Rows that close a loop: one for each bond that the pair of the closing connection locks.

Translations and rotations that are all locked are written in ground axes when the loop runs over the ground, otherwise
in the axes of the first frame.
"""

from typing import final

import casadi as ca

from trundle.constraints.row import Place, Row
from trundle.model.body import Frame
from trundle.model.connection import ConnectedPair
from trundle.motion.motion import FrameMotion, Motion, Partial
from trundle.pairs.lower import ROTATIONS
from trundle.space.rotation import cross, dot
from trundle.typing import Expr


def connection_frame(frame: Frame, connection: ConnectedPair) -> Frame:
    """The user's frame turned so that z is the axis of the pair."""
    return Frame(frame.body, frame.position, frame.rotation @ connection.pair.frame())


def closure_rows(connection: ConnectedPair, motion: Motion, over_ground: bool) -> list[Row]:
    """Rows that close the connection between its two bodies."""
    first, second = (connection_frame(f, connection) for f in (connection.first, connection.second))
    A, B = motion.frame(first), motion.frame(second)
    locked = connection.pair.locked
    pitch = connection.pair.coupling
    slides = [b for b in "xyz" if b in locked and not (b == "z" and pitch is not None)]
    together = over_ground and len(slides) == 3  # the two points coincide: each body is evaluated at its own point
    partials = motion.partials(first.body, A.p if together else B.p)
    relative = Relative(A, B, difference(motion.partials(second.body, B.p), partials), together)
    rows: list[Row] = []

    def add(
        bond: str, residual: Expr, force: Expr, moment: Expr, force_rate: Expr, moment_rate: Expr, unit: str
    ) -> None:
        """Row for the relative velocity force . v + moment . w, whose directions change at the given rates."""
        rows.append(relative.row(Place(connection.name, bond), residual, force, moment, force_rate, moment_rate, unit))

    zero = ca.SX.zeros(3)
    axes = ca.densify(ca.SX.eye(3)) if over_ground else A.R
    spin = zero if over_ground else A.w
    d = B.p - A.p
    for i, bond in enumerate("xyz"):
        if bond not in slides:
            continue
        e, turning = (axes[:, i], spin) if len(slides) == 3 else (A.R[:, i], A.w)
        add(bond, dot(e, d), e, zero, cross(turning, e), zero, "m")
    turns = [b for b in ("rx", "ry", "rz") if b in locked]
    if len(turns) == 3:
        error = sum((cross(A.R[:, i], B.R[:, i]) for i in range(3)), zero) / 2
        for i, bond in enumerate(turns):
            e = axes[:, i]
            add(bond, dot(e, error), zero, e, zero, cross(spin, e), "rad")
    elif len(turns) == 2:  # the axis of turning keeps its direction
        i, j, k = axes_around(next(b for b in ROTATIONS if b not in turns))
        x, y, z = A.R[:, i], A.R[:, j], B.R[:, k]
        add(ROTATIONS[i], -dot(y, z), zero, x, zero, cross(A.w, x), "rad")
        add(ROTATIONS[j], dot(x, z), zero, y, zero, cross(A.w, y), "rad")
    elif len(turns) == 1:  # as in a Universal, z of the first stays normal to x of the second
        k, i, j = axes_around(turns[0])
        z, x = A.R[:, k], B.R[:, i]
        n = cross(x, z)
        add(turns[0], dot(z, x), zero, n, zero, cross(cross(B.w, x), z) + cross(x, cross(A.w, z)), "rad")
    if pitch is not None and "z" in locked:  # the advance follows the turn
        z = A.R[:, 2]
        turn, advance = relative.angle(2), dot(z, d)
        rate = cross(A.w, z)
        add("z", advance - pitch * nearest_turn(turn, advance, pitch), z, -pitch * z, rate, -pitch * rate, "m")
    return rows


def axes_around(rotation: str) -> tuple[int, int, int]:
    """The two axes after the one of this rotation, in cyclic order, and the axis itself."""
    k = ROTATIONS.index(rotation)
    return (k + 1) % 3, (k + 2) % 3, k


def nearest_turn(angle: Expr, advance: Expr, pitch: Expr) -> Expr:
    """The angle plus whole turns that lies nearest to advance / pitch (a screw turns many times)."""
    whole = ca.if_else(ca.SX(pitch) == 0, angle, advance / pitch)
    turns = ca.floor((whole - angle) / (2 * ca.pi) + 0.5)
    return angle + 2 * ca.pi * turns


@final
class Relative:
    """Relative motion of two frames at the origin of the second."""

    def __init__(
        self, A: FrameMotion, B: FrameMotion, partials: dict[int, tuple[Expr, Expr]], together: bool = False
    ) -> None:
        self.A, self.B, self.partials = A, B, partials
        d = ca.SX.zeros(3) if together else B.p - A.p
        turning = ca.SX.zeros(3) if together else A.w
        self.w, self.alpha = B.w - A.w, B.alpha - A.alpha
        self.v = B.v - A.v - cross(A.w, d)  # of B against the point of A that coincides with it
        self.a = B.a - A.a - cross(A.alpha, d) - cross(turning, B.v - A.v)  # its derivative, without udot

    def angle(self, k: int) -> Expr:
        """Turn of the second frame about a common axis, in (-pi, pi]."""
        i, j = (k + 1) % 3, (k + 2) % 3
        x = self.B.R[:, i]
        return ca.atan2(dot(self.A.R[:, j], x), dot(self.A.R[:, i], x))

    def row(self, place: Place, residual: Expr, F: Expr, M: Expr, F_rate: Expr, M_rate: Expr, unit: str) -> Row:
        jacobian = {}
        for i, (angular, linear) in self.partials.items():
            value = dot(F, linear) + dot(M, angular)
            if not value.is_zero():
                jacobian[i] = value
        rate = dot(F, self.v) + dot(M, self.w)
        gamma = dot(F, self.a) + dot(M, self.alpha) + dot(F_rate, self.v) + dot(M_rate, self.w)
        return Row(place, residual, rate, gamma, jacobian, F, M, unit)


def difference(second: list[Partial], first: list[Partial]) -> dict[int, tuple[Expr, Expr]]:
    """Partials of the second body minus those of the first; common ancestors cancel and are left out."""
    common = {i for i, _, _ in first} & {i for i, _, _ in second}
    out = {i: (angular, linear) for i, angular, linear in second if i not in common}
    out.update({i: (-angular, -linear) for i, angular, linear in first if i not in common})
    return out
