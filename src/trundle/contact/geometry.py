"""Where two surfaces touch: point, normal and directions of slip with their rates, in ground axes.

In the tree the contact follows from the coordinates of the chain. A contact that closes a loop is found from the poses
of the two bodies: in closed form for a wheel or a ball on a plane, otherwise by surface coordinates that follow the
motion (`followers`). They are part of q, have no speeds of their own, and one Newton step keeps them exact.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import final

import casadi as ca

from trundle.derivative import derivative_along
from trundle.motion.motion import FrameMotion
from trundle.pairs.cam import Cam
from trundle.pairs.chart import Chart
from trundle.pairs.higher import SurfacePair
from trundle.pairs.planar import PlanarPair
from trundle.pairs.surface import Surface
from trundle.space.rotation import cross, dot
from trundle.typing import Expr


@final
@dataclass
class Contact:
    """Point of contact and contact axes: x along, y across, z the normal out of the first surface.

    Rates are those of the geometric point and axes, not of material points.
    """

    point: Expr
    axes: tuple[Expr, Expr, Expr]
    point_rate: Expr
    axes_rates: tuple[Expr, Expr, Expr]
    gap: Expr = field(default_factory=lambda: ca.SX(0))
    coordinates: dict[str, Expr] = field(default_factory=dict)  # of the chain, where they are not states
    followers: tuple[str, ...] = ()
    follower_rates: Expr = field(default_factory=lambda: ca.SX(0, 1))
    corrections: Expr = field(default_factory=lambda: ca.SX(0, 1))  # Newton step of the followers
    opposed: Expr = None  # the normal of the second surface, minus the normal of the first at a contact of outer sides
    quality: Expr = None  # determinant of that step over the product of its rows: zero where the contact is singular
    residual: Expr = field(default_factory=lambda: ca.SX(0, 1))  # vanishes when the followers have found the contact
    past_ends: Expr = None  # distance (m) beyond the nearest end of a face, below zero on it

    @property
    def distance(self) -> Expr:
        """The gap, or the distance from a face beside it, where this is larger."""
        return self.gap if self.past_ends is None else ca.fmax(self.gap, self.past_ends)


@final
class Side:
    """A surface on its body with the point at coordinates (a, b): axes and partial velocities in ground axes."""

    def __init__(self, frame: FrameMotion, chart: Chart, a: Expr, b: Expr) -> None:
        self.frame = frame
        at = chart.place(a, b)  # in the frame of the surface
        self.R = ca.mtimes(frame.R, at.R)
        self.arm = ca.mtimes(frame.R, at.point)
        self.point = frame.p + self.arm
        self.turns = [ca.mtimes(frame.R, n) for n in at.turns]
        self.moves = [ca.mtimes(frame.R, v) for v in at.moves]
        self.carried = frame.v + cross(frame.w, self.arm)  # velocity of the material point

    @property
    def normal(self) -> Expr:
        return self.R[:, 2]

    def turn(self, rates: Sequence[Expr]) -> Expr:
        """Angular velocity of the contact axes on this side."""
        return self.frame.w + self.turns[0] * rates[0] + self.turns[1] * rates[1]

    def velocity(self, rates: Sequence[Expr]) -> Expr:
        """Velocity of the swept point."""
        return self.carried + self.moves[0] * rates[0] + self.moves[1] * rates[1]


# -- in the tree -------------------------------------------------------------------------------------------------------


def chain_contact(
    pair: SurfacePair,
    first: FrameMotion,
    second: FrameMotion,
    value: Callable[[str], Expr],
    rate: Callable[[str], Expr],
) -> Contact:
    """The contact from coordinates of the chain, given by name."""
    a, b = pair.charts
    if pair.ball_first:
        names = b.names
        side = Side(second, b, *map(value, names))
        R, sign = side.R, -1.0
        turning, velocity = side.turn([rate(n) for n in names]), side.velocity([rate(n) for n in names])
    else:
        names = a.names
        side = Side(first, a, *map(value, names))
        R, sign = side.R, 1.0
        turning, velocity = side.turn([rate(n) for n in names]), side.velocity([rate(n) for n in names])
    x, y, z = sign * R[:, 0], R[:, 1], sign * R[:, 2]
    if pair.spins:
        yaw = value("yaw")
        x, y = x * ca.cos(yaw) + y * ca.sin(yaw), y * ca.cos(yaw) - x * ca.sin(yaw)
        turning = turning + z * rate("yaw")
    return Contact(side.point, (x, y, z), velocity, tuple(cross(turning, e) for e in (x, y, z)))


# -- closing a loop ----------------------------------------------------------------------------------------------------


def loop_contact(pair: SurfacePair, first: FrameMotion, second: FrameMotion, followers: Expr) -> Contact:
    """The contact from the poses of the two bodies; `followers` are the symbols of the surface coordinates."""
    contact = _closest(pair, first, second, followers)
    for face, frame in ((pair.first, first), (pair.second, second)):
        if face.bounded:
            at = ca.mtimes(frame.R.T, contact.point - frame.p)
            contact.past_ends = face.past_ends(ca.vertcat(at[0], at[1], contact.gap))
    return contact


def _closest(pair: SurfacePair, first: FrameMotion, second: FrameMotion, followers: Expr) -> Contact:
    """The contact of surfaces without ends."""
    if isinstance(pair.first, Cam):
        return _cam(pair.first, pair.second, first, second)
    if pair.first.flat and pair.second.round:
        return _wheel_on_plane(pair, first, second)
    if pair.first.flat and pair.second.ball is not None:
        return _ball_on_plane(pair, first, second, pair.second.ball, 1.0)
    if pair.second.flat and pair.first.ball is not None:
        return _ball_on_plane(pair, second, first, pair.first.ball, -1.0)
    if pair.first.flat and pair.second.supports:
        return _support_on_plane(pair, first, second, pair.second, 1.0)
    if pair.second.flat and pair.first.supports:
        return _support_on_plane(pair, second, first, pair.first, -1.0)
    if pair.first.ball is not None and pair.second.ball is not None:
        return _two_balls(pair, first, second)
    if pair.first.ball is not None or pair.second.ball is not None:
        return _ball_on_surface(pair, first, second, followers)
    return _two_surfaces(pair, first, second, followers)


def _wheel_on_plane(pair: SurfacePair, plane: FrameMotion, wheel: FrameMotion) -> Contact:
    """Closed form: the lowest point of the tube, seen along the normal of the plane."""
    sweep = pair.second.sweep()
    arm, tube = sweep.second.at[2], sweep.contact.p[2] - sweep.second.at[2]

    def locate(n: Expr, axle: Expr, centre: Expr) -> tuple[Expr, Expr, Expr]:
        ahead = cross(axle, n)  # as long as the cosine of the lean, also where that is nearly zero
        x = ahead / ca.sqrt(dot(ahead, ahead))
        up = cross(x, axle)  # in the plane of the wheel
        return centre - arm * up - tube * n, x, up

    n, axle = plane.R[:, 2], wheel.R[:, 1]
    seeds = (cross(plane.w, n), cross(wheel.w, axle), wheel.v)
    (point, x, up), (velocity, x_rate, _) = with_rates(locate, (n, axle, wheel.p), seeds)
    y, y_rate = cross(n, x), cross(seeds[0], x) + cross(n, x_rate)
    d = point - plane.p
    heading = wheel.R[:, 0]
    coordinates = {
        "x": dot(plane.R[:, 0], d),
        "y": dot(plane.R[:, 1], d),
        "yaw": ca.atan2(dot(plane.R[:, 1], x), dot(plane.R[:, 0], x)),
        "roll": ca.atan2(dot(axle, n), dot(n, up)),
        "pitch": ca.atan2(-dot(heading, up), dot(heading, x)),
    }
    return Contact(point, (x, y, n), velocity, (x_rate, y_rate, seeds[0]), dot(n, d), coordinates)


def _ball_on_plane(pair: SurfacePair, plane: FrameMotion, ball: FrameMotion, radius: Expr, sign: float) -> Contact:
    """Closed form; sign -1 when the plane is the second surface."""
    x, y, n = (plane.R[:, i] for i in range(3))
    rates = [cross(plane.w, e) for e in (x, y, n)]
    point = ball.p - radius * n
    d = point - plane.p
    names = pair.charts[0 if sign > 0 else 1].names
    coordinates = {names[0]: sign * dot(x, d), names[1]: sign * dot(y, d)}
    velocity = ball.v - radius * rates[2]
    axes, axes_rates = (sign * x, y, sign * n), (sign * rates[0], rates[1], sign * rates[2])
    return Contact(point, axes, velocity, axes_rates, dot(n, d), coordinates if pair.measured else {})


def _support_on_plane(
    pair: SurfacePair, plane: FrameMotion, body: FrameMotion, surface: Surface, sign: float
) -> Contact:
    """Closed form: the point of the surface whose normal points into the plane; sign -1 when the plane is the second
    surface. Directions of slip are those of the plane, so that no pose is singular.
    """

    def locate(n: Expr, x: Expr, y: Expr, z: Expr, p: Expr) -> tuple[Expr, Expr, Expr]:
        s = surface.support(-ca.vertcat(dot(x, n), dot(y, n), dot(z, n)))
        return p + s[0] * x + s[1] * y + s[2] * z, n, n

    x, y, n = (plane.R[:, i] for i in range(3))
    rates = [cross(plane.w, e) for e in (x, y, n)]
    columns = [body.R[:, i] for i in range(3)]
    seeds = (rates[2], *(cross(body.w, e) for e in columns), body.v)
    (point, _, _), (velocity, _, _) = with_rates(locate, (n, *columns, body.p), seeds)
    d = point - plane.p
    on_plane, on_body = pair.charts if sign > 0 else pair.charts[::-1]
    coordinates = dict(zip(on_plane.names, (sign * dot(x, d), sign * dot(y, d)), strict=True))
    inner = -ca.vertcat(*[dot(e, n) for e in columns])
    coordinates |= dict(zip(on_body.names, surface.facing(inner), strict=True))
    axes, axes_rates = (sign * x, y, sign * n), (sign * rates[0], rates[1], sign * rates[2])
    return Contact(point, axes, velocity, axes_rates, dot(n, d), coordinates)


def _cam(cam: Cam, other: Surface, first: FrameMotion, second: FrameMotion) -> Contact:
    """A cam and its follower in their plane: the foot of the perpendicular from the middle of a roller, or the point
    whose normal is that of a flat follower.
    """

    def roller(a: Expr, x: Expr, z: Expr, b: Expr, up: Expr) -> tuple[Expr, Expr, Expr]:
        distance, nx, nz = cam.shape.near(dot(x, b - a), dot(z, b - a))
        n = nx * x + nz * z
        return b - other.ball * n, n, (distance - other.ball) * n

    def flat(a: Expr, x: Expr, z: Expr, b: Expr, up: Expr) -> tuple[Expr, Expr, Expr]:
        px, pz = cam.shape.support(-dot(x, up), -dot(z, up))
        point = a + px * x + pz * z
        return point, -up, -dot(up, b - point) * -up

    x, y, z, up = first.R[:, 0], first.R[:, 1], first.R[:, 2], second.R[:, 2]
    seeds = (first.v, cross(first.w, x), cross(first.w, z), second.v, cross(second.w, up))
    locate = flat if other.flat else roller
    (point, n, gap), (velocity, n_rate, _) = with_rates(locate, (first.p, x, z, second.p, up), seeds)
    across, across_rate = y, cross(first.w, y)
    along, along_rate = cross(across, n), cross(across_rate, n) + cross(across, n_rate)
    axes, axes_rates = (along, across, n), (along_rate, across_rate, n_rate)
    return Contact(point, axes, velocity, axes_rates, dot(n, gap))


def _two_balls(pair: SurfacePair, first: FrameMotion, second: FrameMotion) -> Contact:
    """Closed form on the line of the centres; in a plane, across is the axis."""
    both = ca.SX(pair.first.ball + pair.second.ball)
    side = ca.sign(both)

    def locate(a: Expr, b: Expr, x_axis: Expr, y_axis: Expr) -> tuple[Expr, Expr, Expr]:
        n = side * (b - a) / ca.norm_2(b - a)
        if isinstance(pair, PlanarPair):
            across = y_axis - dot(y_axis, n) * n  # the centres may leave the plane
            return a + pair.first.ball * n, across / ca.norm_2(across), n
        reference = ca.if_else(dot(n, x_axis) ** 2 < 0.5, x_axis, y_axis)  # not along the normal
        across = cross(n, reference)
        return a + pair.first.ball * n, across / ca.norm_2(across), n

    x, y = first.R[:, 0], first.R[:, 1]
    seeds = (first.v, second.v, cross(first.w, x), cross(first.w, y))
    (point, y, n), (velocity, y_rate, n_rate) = with_rates(locate, (first.p, second.p, x, y), seeds)
    x, x_rate = cross(y, n), cross(y_rate, n) + cross(y, n_rate)
    gap = dot(n, second.p - first.p) - both
    return Contact(point, (x, y, n), velocity, (x_rate, y_rate, n_rate), gap)


def with_rates(
    f: Callable[..., tuple[Expr, Expr, Expr]], values: Sequence[Expr], rates: Sequence[Expr]
) -> tuple[tuple[Expr, Expr, Expr], tuple[Expr, Expr, Expr]]:
    """f at the values, and its time derivative, from the tape of f alone."""
    symbols = [ca.SX.sym("s", 3) for _ in values]
    seeds = [ca.SX.sym("d", 3) for _ in values]
    out = ca.vertcat(*f(*symbols))
    change = derivative_along(out, ca.vertcat(*symbols), ca.vertcat(*seeds))
    own = {x.element_hash() for v in (*symbols, *seeds) for x in ca.symvar(v)}
    sizes = [x for x in ca.symvar(out) if x.element_hash() not in own]  # parameters of the model
    both = ca.Function("contact", [*symbols, *seeds, *sizes], [out, change])(*values, *rates, *sizes)
    now, then = (tuple(v[3 * i : 3 * i + 3] for i in range(3)) for v in both)
    return now, then


def _ball_on_surface(pair: SurfacePair, first: FrameMotion, second: FrameMotion, followers: Expr) -> Contact:
    """The foot of the perpendicular from the centre of the ball."""
    on_first = pair.second.ball is not None
    chart = pair.charts[0 if on_first else 1]
    radius, body, ball = (pair.second.ball, first, second) if on_first else (pair.first.ball, second, first)
    side = Side(body, chart, followers[0], followers[1])
    d = ball.p - side.point
    tangents = (side.R[:, 0], side.R[:, 1])
    r = ca.vertcat(*[dot(t, d) for t in tangents])
    J = ca.blockcat(
        [[dot(cross(n, t), d) - dot(t, v) for n, v in zip(side.turns, side.moves, strict=True)] for t in tangents]
    )
    moving = ca.vertcat(*[dot(t, ball.v - side.carried) + dot(cross(body.w, t), d) for t in tangents])
    return _followed(side, J, r, moving, (chart,), 1.0 if on_first else -1.0,
                     dot(side.normal, d) - radius, followers)  # fmt: skip


def _two_surfaces(pair: SurfacePair, first: FrameMotion, second: FrameMotion, followers: Expr) -> Contact:
    """Common normal of two surfaces: four equations for four surface coordinates."""
    a, b = pair.charts
    A, B = Side(first, a, followers[0], followers[1]), Side(second, b, followers[2], followers[3])
    d, n_B = B.point - A.point, B.normal
    tangents = (A.R[:, 0], A.R[:, 1])
    r = ca.vertcat(*[dot(t, d) for t in tangents], *[dot(t, n_B) for t in tangents])
    rows = []
    for t in tangents:
        rows.append(
            [dot(cross(n, t), d) - dot(t, v) for n, v in zip(A.turns, A.moves, strict=True)]
            + [dot(t, v) for v in B.moves]
        )
    for t in tangents:
        rows.append([dot(cross(n, t), n_B) for n in A.turns] + [dot(t, cross(n, n_B)) for n in B.turns])
    moving = [dot(t, B.carried - A.carried) + dot(cross(first.w, t), d) for t in tangents]
    moving += [dot(t, cross(second.w - first.w, n_B)) for t in tangents]
    contact = _followed(A, ca.blockcat(rows), r, ca.vertcat(*moving), (a, b), 1.0, dot(A.normal, d), followers)
    contact.opposed = n_B
    turning = B.turn([contact.follower_rates[2], contact.follower_rates[3]])
    x, y = -B.R[:, 0], B.R[:, 1]  # directions of slip turn with the second surface, as in the tree
    contact.axes = (x, y, contact.axes[2])
    contact.axes_rates = (cross(turning, x), cross(turning, y), contact.axes_rates[2])
    contact.coordinates["yaw"] = ca.atan2(-dot(tangents[1], B.R[:, 0]), -dot(tangents[0], B.R[:, 0]))
    return contact


def _followed(
    side: Side, J: Expr, r: Expr, moving: Expr, charts: Sequence[Chart], sign: float, gap: Expr, followers: Expr
) -> Contact:
    """Contact whose surface coordinates, those of the charts, satisfy r = 0; `moving` is the rate of r while they stand
    still.
    """
    inverse = _inverse(J)[1]
    names = [name for chart in charts for name in chart.names]
    rates = -ca.mtimes(inverse, moving)
    velocity, turning = side.velocity([rates[0], rates[1]]), side.turn([rates[0], rates[1]])
    axes = (sign * side.R[:, 0], side.R[:, 1], sign * side.normal)
    return Contact(
        side.point, axes, velocity, tuple(cross(turning, e) for e in axes), gap,
        dict(zip(names, [followers[i] for i in range(len(names))], strict=True)), tuple(names), rates,
        -ca.mtimes(inverse, r), -axes[2], _quality(J, charts), r,
    )  # fmt: skip


def _quality(J: Expr, charts: Sequence[Chart]) -> Expr:
    """Determinant of J over the product of its rows, with lengths measured in a size of the surfaces, so that it has no
    unit: rows are two lengths, then two slopes, and columns are angles and lengths.
    """
    length = _size_of(charts)
    slides = [coordinate.slides for chart in charts for coordinate in chart.coordinates]
    scaled = ca.SX(J)
    for i in range(J.shape[0]):
        for j, slide in enumerate(slides):
            scaled[i, j] = J[i, j] * (length if slide else 1) / (length if i < 2 else 1)
    product = ca.SX(1)
    for i in range(J.shape[0]):
        product = product * ca.sumsqr(scaled[i, :])
    return _inverse(scaled)[0] / ca.sqrt(product)


def _size_of(charts: Sequence[Chart]) -> Expr:
    """A length of the surfaces: how far their points move for a unit of each angle, in the middle of the charts; 1 m
    where there is none.
    """
    total, count = ca.SX(0), 0
    for chart in charts:
        moves = chart.place(*chart.middle).moves
        for coordinate, move in zip(chart.coordinates, moves, strict=True):
            if not coordinate.slides and not ca.SX(move).is_zero():
                total, count = total + ca.norm_2(move), count + 1
    return total / count if count else ca.SX(1)


def _inverse(A: Expr) -> tuple[Expr, Expr]:
    """Determinant and inverse of a 2x2 or 4x4 matrix by minors: no pivot can vanish while the matrix is regular."""
    if A.shape[0] == 2:
        determinant = A[0, 0] * A[1, 1] - A[0, 1] * A[1, 0]
        return determinant, ca.blockcat([[A[1, 1], -A[0, 1]], [-A[1, 0], A[0, 0]]]) / determinant
    pairs = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    top = {k: A[0, k[0]] * A[1, k[1]] - A[0, k[1]] * A[1, k[0]] for k in pairs}
    low = {k: A[2, k[0]] * A[3, k[1]] - A[2, k[1]] * A[3, k[0]] for k in pairs}
    determinant = (
        top[0, 1] * low[2, 3] - top[0, 2] * low[1, 3] + top[0, 3] * low[1, 2]
        + top[1, 2] * low[0, 3] - top[1, 3] * low[0, 2] + top[2, 3] * low[0, 1]
    )  # fmt: skip
    columns = [[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]]
    rows = []
    for j in range(4):  # cofactor of column j along each row
        k, l, m = columns[j]
        sign = 1.0 if j % 2 == 0 else -1.0
        cofactors = []
        for other, minors, parity in ((1, low, 1.0), (0, low, -1.0), (3, top, 1.0), (2, top, -1.0)):
            value = A[other, k] * minors[l, m] - A[other, l] * minors[k, m] + A[other, m] * minors[k, l]
            cofactors.append(sign * parity * value / determinant)
        rows.append(cofactors)
    return determinant, ca.blockcat(rows)
