"""Motion of the track frame from curvature, slope and cant: exact, for numbers, arrays and symbols alike.

x points forward along the track, y to the left, z up, normal to the canted plane. The frame is turned by the heading
about the vertical, raised by the slope g, and rolled by minus the cant angle b (the right rail is raised where b > 0).
Along the line it turns by the Darboux vector d (rad/m), so w = d v and eps = d' v^2 + d a.
"""

from dataclasses import dataclass
from typing import final

import casadi as ca
import numpy as np

from trundle.rail.track.basis import functions_of
from trundle.typing import Expr


@final
@dataclass(frozen=True)
class Local:
    """Angles and their derivatives by s at a place of the line: k is the turn of the heading, 1/m."""

    k: Expr
    k1: Expr
    sin_g: Expr
    cos_g: Expr
    g1: Expr
    g2: Expr
    sin_b: Expr
    cos_b: Expr
    b1: Expr
    b2: Expr

    def darboux(self) -> tuple[Expr, Expr, Expr]:
        """Turn of the frame per metre, in its own axes: heading about z, slope about -y, cant about -x."""
        across = self.k * self.cos_g
        return (
            self.k * self.sin_g - self.b1,
            -across * self.sin_b - self.g1 * self.cos_b,
            across * self.cos_b - self.g1 * self.sin_b,
        )

    def darboux_derivative(self) -> tuple[Expr, Expr, Expr]:
        """Its derivative by s, 1/m^2."""
        _, d_y, d_z = self.darboux()
        across1 = self.k1 * self.cos_g - self.k * self.sin_g * self.g1
        return (
            self.k1 * self.sin_g + self.k * self.cos_g * self.g1 - self.b2,
            -across1 * self.sin_b - self.g2 * self.cos_b - self.b1 * d_z,
            across1 * self.cos_b - self.g2 * self.sin_b + self.b1 * d_y,
        )


def local(curvature: Expr, slope: Expr, cant: Expr, by_angle: Expr) -> Local:
    """From (value, first, second derivative by s) of curvature, sine of the slope, and cant.

    The cant is the sine of its angle where by_angle is 0, and the angle itself where it is 1.
    """
    f = functions_of(curvature[0], slope[0], cant[0])
    sin_g, slope1, slope2 = slope
    cos_g = f.sqrt(1.0 - sin_g * sin_g)
    c, c1, c2 = cant
    by_sine = 1.0 - by_angle
    sine = by_sine * c
    root = f.sqrt(1.0 - sine * sine)
    stretch = by_angle + by_sine * root  # d(cant) / d(angle)
    b1, g1 = c1 / stretch, slope1 / cos_g
    return Local(
        k=curvature[0],
        k1=curvature[1],
        sin_g=sin_g,
        cos_g=cos_g,
        g1=g1,
        g2=(slope2 + sin_g * g1 * g1) / cos_g,
        sin_b=sine + by_angle * f.sin(c),
        cos_b=by_sine * root + by_angle * f.cos(c),
        b1=b1,
        b2=(c2 + sine * b1 * b1) / stretch,
    )


def rotation(heading: Expr, at: Local) -> Expr:
    """Rotation matrix from the axes of the track frame to those of the ground."""
    f = functions_of(heading, at.sin_g, at.sin_b)
    s, c = f.sin(heading), f.cos(heading)
    sg, cg, sb, cb = at.sin_g, at.cos_g, at.sin_b, at.cos_b
    columns = (
        (c * cg, s * cg, sg),
        (c * sg * sb - s * cb, c * cb + s * sg * sb, -cg * sb),
        (-s * sb - c * sg * cb, c * sb - s * sg * cb, cg * cb),
    )
    if f is ca:
        return ca.horzcat(*(ca.vertcat(*column) for column in columns))
    return np.stack([np.stack(np.broadcast_arrays(*column), -1) for column in columns], -1)


def vector(*components: Expr) -> Expr:
    """Three components as a column of symbols, or in the last axis of an array."""
    if functions_of(*components) is ca:
        return ca.vertcat(*components)
    return np.stack(np.broadcast_arrays(*components), -1)


@final
@dataclass(frozen=True)
class TrackMotion:
    """Pose of the track frame in the ground, and its motion in its own axes."""

    position: Expr  # m, of its origin in the ground
    rotation: Expr  # from its axes to those of the ground
    w: Expr  # rad/s
    eps: Expr  # rad/s^2
    v: Expr  # m/s
    a: Expr  # m/s^2

    @property
    def R(self) -> Expr:
        """The rotation, as moving frames call it."""
        return self.rotation

    @property
    def p(self) -> Expr:
        """The position, as moving frames call it."""
        return self.position


def motion(position: Expr, heading: Expr, at: Local, speed: Expr, acceleration: Expr) -> TrackMotion:
    """Motion of the frame that moves along the line with this speed and tangential acceleration."""
    d = at.darboux()
    w = tuple(component * speed for component in d)
    eps = tuple(d1 * speed**2 + d0 * acceleration for d1, d0 in zip(at.darboux_derivative(), d, strict=True))
    return TrackMotion(
        position=position,
        rotation=rotation(heading, at),
        w=vector(*w),
        eps=vector(*eps),
        v=vector(speed, 0.0 * w[1], 0.0 * w[2]),
        a=vector(acceleration, speed * w[2], -speed * w[1]),  # [Zboinski 2011, Eq. 67 lacks the normal part]
    )
