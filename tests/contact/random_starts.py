"""Bodies thrown over a rough plane at random, in contact from the start: models, starts, and an independent reference.

Every single body touches the plane with one shape: the rim of a circle of radius `wheel` about the body's y axis,
thickened by `tube`, with its centre at `centre` from the mass centre. A disc has no tube, a ball no wheel.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, final

import numpy as np
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import trundle as tr

Array = np.ndarray[Any, np.dtype[np.float64]]
UP = np.array([0.0, 0.0, 1.0])
G = 9.81
MU = 0.3


@final
@dataclass(frozen=True)
class Shape:
    """A body of one surface on the plane, and how fast it is thrown."""

    mass: float
    inertia: tuple[float, float, float]  # about the mass centre
    wheel: float  # m
    tube: float  # m
    centre: tuple[float, float, float] = (0.0, 0.0, 0.0)  # m
    tilt: float = 1.0  # rad, of the y axis, at most
    speed: float = 2.0  # m/s
    turning: float = 6.0  # rad/s
    spin: tuple[float, float] = (0.0, 0.0)  # rad/s about the body's z axis, from and to

    @property
    def surface(self) -> Any:
        if self.wheel == 0.0:
            return tr.Sphere(self.tube)
        return tr.Torus(self.wheel + self.tube, self.tube) if self.tube else tr.CircleEdge(self.wheel)

    def arm(self, R: Array, w: Array) -> tuple[Array, Array]:
        """From the mass centre to the point of contact, and the rate of that, in ground axes."""
        c, axis = R @ np.array(self.centre), R[:, 1]
        r, rate = c - self.tube * UP, cross(w, c)
        if self.wheel:
            turned = cross(w, axis)
            e = UP - axis[2] * axis
            e_rate = -turned[2] * axis - axis[2] * turned
            size = np.linalg.norm(e)
            unit = e / size
            r, rate = r - self.wheel * unit, rate - self.wheel * (e_rate - unit * (unit @ e_rate)) / size
        return r, rate


SHAPES = {
    "disc": Shape(1.0, (0.01, 0.02, 0.01), 0.2, 0.0),
    "torus": Shape(1.0, (0.012, 0.02, 0.012), 0.2, 0.05),
    "ball": Shape(1.0, (0.004, 0.005, 0.006), 0.0, 0.1, (0.01, -0.02, 0.03), tilt=3.0, turning=20.0),
    "top": Shape(0.02, (8e-6, 8e-6, 7e-6), 0.0, 0.02, (0.0, 0.0, 0.004), tilt=0.5, speed=0.1, turning=2.0,
                 spin=(50.0, 300.0)),
}  # fmt: skip


@final
@dataclass(frozen=True)
class Feet:
    """One body on round feet, all at one height: contacts whose slips turn against each other."""

    mass: float
    inertia: tuple[float, float, float]
    places: tuple[tuple[float, float, float], ...]
    radius: float
    tilt: float  # rad, about the line through the feet


FEET = {
    "dumbbell": Feet(1.0, (0.004, 0.012, 0.014), ((0.15, 0.01, -0.02), (-0.1, 0.01, -0.02)), 0.08, np.pi),
    "tripod": Feet(2.0, (0.02, 0.02, 0.03), ((0.15, 0.0, -0.05), (-0.1, 0.12, -0.05), (-0.08, -0.1, -0.05)), 0.02, 0.0),
}
KINDS = (*SHAPES, *FEET, "pair")
QUICK = (*SHAPES, "dumbbell")  # built in about a second each
LINK = np.array([0.25, 0.0, 0.0])  # from either ball of the pair to the joint between them, along its own x axis


def contacts(kind: str) -> tuple[str, ...]:
    if kind in FEET:
        return tuple(f"foot{i}" for i in range(len(FEET[kind].places)))
    return ("front", "rear") if kind == "pair" else ("c",)


def bodies(kind: str) -> tuple[str, ...]:
    return ("first", "second") if kind == "pair" else ("body",)


@cache
def system(kind: str, law: str = "coulomb", formalism: str = "kane", unilateral: bool = False) -> tr.System:
    """The model with the parameters mu, mu_k, and v0 where the law is smooth."""
    m = tr.Model(kind)
    mu = m.parameter("mu", MU)
    if law == "coulomb":
        friction: Any = tr.Coulomb(mu, m.parameter("mu_k", MU))
    else:
        friction = tr.RegularisedCoulomb(mu, m.parameter("v0", 1e-3))
    options: dict[str, Any] = {"law": friction, "unilateral": unilateral}
    if kind in FEET:
        feet = FEET[kind]
        body = m.body("body", feet.mass, feet.inertia)
        for name, at in zip(contacts(kind), feet.places, strict=True):
            m.connect(tr.HigherPair(tr.Plane(), tr.Sphere(feet.radius)), m.ground, body.at(*at), name=name, **options)
    elif kind == "pair":
        shape = SHAPES["ball"]
        balls = [m.body(name, shape.mass, shape.inertia) for name in bodies(kind)]
        for name, body in zip(contacts(kind), balls, strict=True):
            pair = tr.HigherPair(tr.Plane(), shape.surface)
            m.connect(pair, m.ground, body.at(*shape.centre), name=name, **options)
        m.connect(tr.Spherical(), balls[0].at(*LINK), balls[1].at(*-LINK), name="joint")
    else:
        shape = SHAPES[kind]
        body = m.body("body", shape.mass, shape.inertia)
        m.connect(tr.HigherPair(tr.Plane(), shape.surface), m.ground, body.at(*shape.centre), name="c", **options)
    return m.build(formalism)


@final
@dataclass(frozen=True)
class State:
    """Pose and velocity of a body in ground axes."""

    p: Array
    R: Array
    v: Array
    w: Array

    def named(self, body: str) -> dict[str, Any]:
        return {
            f"{body}.position": tuple(self.p), f"{body}.rotation": tuple(self.R.T.ravel()),
            f"{body}.velocity": tuple(self.v), f"{body}.angular_velocity": tuple(self.w),
        }  # fmt: skip


def thrown(kind: str, seed: int) -> State:
    """A single body that touches the plane and does not leave it."""
    shape, random = SHAPES[kind], np.random.default_rng([seed, list(SHAPES).index(kind)])
    R = (
        Rotation.from_euler("z", random.uniform(-np.pi, np.pi))
        * Rotation.from_euler("x", random.uniform(-shape.tilt, shape.tilt))
        * Rotation.from_euler("y", random.uniform(-np.pi, np.pi))
    ).as_matrix()
    w = random.uniform(-shape.turning, shape.turning, 3) + R[:, 2] * random.uniform(*shape.spin)
    v = np.array([*random.uniform(-shape.speed, shape.speed, 2), 0.0])
    r, _ = shape.arm(R, w)
    v[2] = -cross(w, r)[2]
    return State(np.array([0.0, 0.0, -r[2]]), R, v, w)


def start(kind: str, seed: int) -> dict[str, Any]:
    """A random start of the model."""
    if kind in SHAPES:
        return thrown(kind, seed).named("body")
    random = np.random.default_rng([seed, KINDS.index(kind)])
    return _two_balls(random) if kind == "pair" else _on_feet(FEET[kind], random).named("body")


def _on_feet(feet: Feet, random: np.random.Generator) -> State:
    """All feet touch the plane and stay on it."""
    yaw, tilt = random.uniform(-np.pi, np.pi), random.uniform(-feet.tilt, feet.tilt)
    R = (Rotation.from_euler("z", yaw) * Rotation.from_euler("x", tilt)).as_matrix()
    arms = [R @ np.array(place) - feet.radius * UP for place in feet.places]
    rows = np.array([[0.0, 0.0, 1.0, *cross(arm, UP)] for arm in arms])  # of v, w
    u = _allowed(rows, random.uniform(-1.0, 1.0, 6) * [1.5, 1.5, 1.0, 10.0, 10.0, 10.0])
    return State(np.array([0.0, 0.0, -arms[0][2]]), R, u[:3], u[3:])


def _allowed(rows: Array, u: Array) -> Array:
    """The nearest speeds for which all rows vanish."""
    return u - np.linalg.pinv(rows) @ rows @ u


def _two_balls(random: np.random.Generator) -> dict[str, Any]:
    """Two eccentric balls that share a point: turned until both touch, velocities projected onto those that the pair
    allows.
    """
    shape = SHAPES["ball"]
    yaw = Rotation.from_euler("z", random.uniform(-np.pi, np.pi))
    turns = [yaw * Rotation.from_euler("x", random.uniform(-np.pi, np.pi)) for _ in range(2)]
    for _ in range(60):  # pitch the second ball about the joint until its lowest point is level with the other
        R = [t.as_matrix() for t in turns]
        heights = [(R[i] @ np.array(shape.centre))[2] for i in range(2)]
        joint = -heights[0] + shape.tube + (R[0] @ LINK)[2]
        gap = joint + (R[1] @ LINK)[2] + heights[1] - shape.tube
        turns[1] = Rotation.from_rotvec(yaw.as_matrix()[:, 1] * gap / 0.25) * turns[1]
    arms = [shape.arm(R[i], np.zeros(3))[0] for i in range(2)]
    p0 = np.array([0.0, 0.0, -arms[0][2]])
    p1 = p0 + R[0] @ LINK + R[1] @ LINK
    rows = np.zeros((5, 12))  # of v0, w0, v1, w1
    for i, side in ((0, 1.0), (1, -1.0)):
        rows[:3, 6 * i : 6 * i + 3] = side * np.eye(3)
        rows[:3, 6 * i + 3 : 6 * i + 6] = -side * _cross(side * R[i] @ LINK)
        rows[3 + i, 6 * i + 2] = 1.0
        rows[3 + i, 6 * i + 3 : 6 * i + 6] = cross(arms[i], UP)
    u = np.concatenate([random.uniform(-a, a, 3) for a in (2.0, 15.0, 2.0, 15.0)])
    u = _allowed(rows, u)
    return State(p0, R[0], u[:3], u[3:6]).named("first") | State(p1, R[1], u[6:9], u[9:]).named("second")


def cross(a: Array, b: Array) -> Array:
    """The product of vectors, ten times as fast as that of numpy."""
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def _cross(v: Array) -> Array:
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])


def cases(count: int, kinds: tuple[str, ...] = KINDS) -> Iterator[tuple[str, int, bool]]:
    """(kind, seed, unilateral), all kinds in turn."""
    for i in range(count):
        yield kinds[i % len(kinds)], i // (2 * len(kinds)), (i // len(kinds)) % 2 == 1


# -- Newton and Euler by hand ------------------------------------------------------------------------------------------


def _slopes(shape: Shape, mu: float, y: Array) -> tuple[Array, Array]:
    """Rates of (p, R, v, w), and the slip, while one body slides on a plane that may also pull."""
    R, v, w = y[3:12].reshape(3, 3), y[12:15], y[15:18]
    r, r_rate = shape.arm(R, w)
    slip = (v + cross(w, r))[:2]
    inverse = R @ np.diag(1.0 / np.array(shape.inertia)) @ R.T
    gyroscopic = cross(w, R @ np.diag(shape.inertia) @ R.T @ w)
    for side in (1.0, -1.0):
        push = UP - side * mu * np.array([*(slip / np.linalg.norm(slip)), 0.0])
        per_load = push / shape.mass, inverse @ cross(r, push)
        free = -G * UP, -inverse @ gyroscopic
        # the normal velocity of the point of contact stays zero
        lift = (free[0] + cross(free[1], r) + cross(w, r_rate))[2]
        load = -lift / (per_load[0] + cross(per_load[1], r))[2]
        if side * load > 0.0:
            break
    v_rate, w_rate = (free[i] + load * per_load[i] for i in range(2))
    return np.concatenate([v, (_cross(w) @ R).ravel(), v_rate, w_rate]), slip


def first_stop(shape: Shape, at: State, duration: float, mu: float = MU) -> tuple[float, Array]:
    """When the slip of a single body first ends (infinite where it does not), and its position then or at the end."""
    small = 1e-7

    def slow(_: float, y: Array) -> float:
        return float(np.linalg.norm(_slopes(shape, mu, y)[1])) - small

    slow.terminal = True  # type: ignore[attr-defined]
    y0 = np.concatenate([at.p, at.R.ravel(), at.v, at.w])
    found = solve_ivp(
        lambda _, y: _slopes(shape, mu, y)[0], (0.0, duration), y0, "DOP853", events=slow, rtol=1e-10, atol=1e-12
    )
    y = found.y[:, -1]
    slopes, slip = _slopes(shape, mu, y)
    if not found.t_events[0].size:
        return np.inf, y[:3]
    later = _slopes(shape, mu, y + 1e-9 * slopes)[1]
    left = float(small * 1e-9 / (np.linalg.norm(slip) - np.linalg.norm(later)))  # s, as the slip falls evenly
    return float(found.t[-1]) + left, y[:3] + left * y[12:15]
