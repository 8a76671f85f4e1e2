"""Rolling against closed forms, by constraint and by friction: discs in steady turns, balls on things that turn."""

from dataclasses import dataclass
from math import acos, cos, sin, sqrt
from typing import Any, final

import numpy as np
import pytest

import trundle as tr
from trundle.pairs.surface import Surface

G = 9.81
LAWS = pytest.mark.parametrize("system", ["NoSlip", "Coulomb"], indirect=True)
TIGHT = {"rtol": 1e-13, "atol": 1e-13}


def rotation(axis: str, angle: float) -> np.ndarray:
    c, s = cos(angle), sin(angle)
    i, j = {"x": (1, 2), "y": (2, 0), "z": (0, 1)}[axis]
    R = np.eye(3)
    R[[i, i, j, j], [i, j, i, j]] = c, -s, s, c
    return R


@final
@dataclass(frozen=True)
class Turn:
    """A wheel in a steady turn with lean a (to the right) and yaw rate W (to the left).

    Its rim is a tube of radius `tube` about a circle of radius `hub`, which lies in a plane `aside` of the mass centre.
    With e along, l left, u up, axle n = (0, cos a, sin a) and spoke k = (0, -sin a, cos a), the mass centre is at
    hub k + tube u - aside n from the point of contact and has the velocity V e, V = hub w2 + tube cos(a) pitch_rate
    + aside W cos(a) with w2 = pitch_rate + W sin(a). Newton: F = m W V l + m g u. Euler about the mass centre, along e:
    (hub sin a + aside cos a) m g + height m W V = A W^2 sin a cos a - C W w2 cos a.
    """

    mass: float
    across: float  # A, kg m^2
    about: float  # C, kg m^2
    hub: float
    tube: float
    aside: float
    lean: float
    yaw_rate: float

    @property
    def height(self) -> float:
        """Of the mass centre above the plane."""
        return self.hub * cos(self.lean) + self.tube - self.aside * sin(self.lean)

    @property
    def beside(self) -> float:
        """Of the point of contact, to the left of the mass centre."""
        return self.hub * sin(self.lean) + self.aside * cos(self.lean)

    @property
    def pitch_rate(self) -> float:
        W, s, c = self.yaw_rate, sin(self.lean), cos(self.lean)
        moment = self.across * W**2 * s * c - self.about * W**2 * s * c - self.beside * self.mass * G
        carried = self.height * self.mass * W
        moment -= carried * W * self.beside
        return moment / (carried * (self.hub + self.tube * c) + self.about * W * c)

    @property
    def speed(self) -> float:
        """Of the mass centre, ahead."""
        s, c = sin(self.lean), cos(self.lean)
        return (self.hub + self.tube * c) * self.pitch_rate + self.yaw_rate * (self.hub * s + self.aside * c)

    @property
    def side_force(self) -> float:
        """To the left, on the wheel."""
        return self.mass * self.yaw_rate * self.speed

    @property
    def friction(self) -> float:
        """Coefficient that the turn takes."""
        return abs(self.side_force) / (self.mass * G)

    @property
    def start(self) -> dict[str, Any]:
        return {
            "road.roll": self.lean, "road.yaw_rate": self.yaw_rate, "road.pitch_rate": self.pitch_rate,
            "road.roll_rate": 0.0, "road.x_rate": self.speed - self.yaw_rate * self.beside, "road.y_rate": 0.0,
        }  # fmt: skip

    def parameters(self, mu: float) -> dict[str, float]:
        return {
            "mass": self.mass, "across": self.across, "about": self.about, "radius": self.hub + self.tube,
            "tube": self.tube, "aside": self.aside, "mu": mu,
        }  # fmt: skip

    def place(self, t: float) -> np.ndarray:
        """Mass centre, from where it started on the plane."""
        angle, radius = self.yaw_rate * t, self.speed / self.yaw_rate
        return np.array([radius * sin(angle), radius * (1 - cos(angle)), self.height])

    def turned(self, t: float) -> np.ndarray:
        return rotation("z", self.yaw_rate * t) @ rotation("x", self.lean) @ rotation("y", self.pitch_rate * t)


TURNS = {
    "disc": Turn(2.0, 0.125, 0.25, 0.5, 0.0, 0.0, 0.4, -1.7),
    "hoop that leans far": Turn(1.0, 0.125, 0.25, 0.5, 0.0, 0.0, 1.1, -4.0),
    "disc to the left": Turn(2.0, 0.125, 0.25, 0.5, 0.0, 0.0, -0.3, 1.1),
    "heavy rim": Turn(3.0, 0.05, 0.09, 0.2, 0.0, 0.0, 0.2, -1.3),
    "tyre": Turn(2.0, 0.13, 0.25, 0.4, 0.1, 0.0, 0.4, -2.0),
    "thick disc on its lower rim": Turn(2.0, 0.14, 0.25, 0.5, 0.0, -0.06, 0.5, -2.0),
}


@pytest.fixture(scope="module")
def wheels() -> dict[str, tr.System]:
    """One wheel by constraint and one by friction; all sizes are parameters."""
    built = {}
    for name in ("NoSlip", "Coulomb"):
        m = tr.Model("wheel")
        mass, across, about, radius, tube, aside, mu = (
            m.parameter(n, v) for n, v in TURNS["tyre"].parameters(1.0).items()
        )
        law = tr.NoSlip() if name == "NoSlip" else tr.Coulomb(mu)
        wheel = m.body("wheel", mass, (across, about, across))
        m.connect(tr.HigherPair(tr.Plane(), tr.Torus(radius, tube)), m.ground, wheel.at(0, aside, 0), "road", law)
        built[name] = m.build()
    return built


@pytest.fixture
def system(request: pytest.FixtureRequest, wheels: dict[str, tr.System]) -> tr.System:
    return wheels[request.param]


@LAWS
@pytest.mark.parametrize("turn", TURNS.values(), ids=TURNS)
def test_a_wheel_keeps_its_steady_turn(system: tr.System, turn: Turn) -> None:
    run = system.simulate(
        10.0, turn.start, turn.parameters(1.01 * turn.friction), samples=[0.0, 0.5, 3.0, 10.0], **TIGHT
    )
    assert run.ok and run.events == []
    place = run.values("wheel.position")
    begin = [*place[0, :2], 0]
    for t, p, columns in zip(run.time, place, run.values("wheel.rotation"), strict=True):
        np.testing.assert_allclose(p - begin, turn.place(t), rtol=0, atol=1e-10)
        np.testing.assert_allclose(columns.reshape(3, 3).T, turn.turned(t), rtol=0, atol=1e-10)
    W, rolling = turn.yaw_rate, turn.pitch_rate
    assert run.values("wheel.acceleration")[0] == pytest.approx([0, W * turn.speed, 0], abs=1e-12)
    assert run.values("wheel.angular_acceleration")[0] == pytest.approx(
        [-W * cos(turn.lean) * rolling, 0, 0], abs=1e-12
    )
    assert run.values("road.normal_force") == pytest.approx(turn.mass * G, abs=1e-10)
    assert run.values("road.slip_force_y") == pytest.approx(turn.side_force, abs=1e-10)
    assert run.values("road.slip_force_x") == pytest.approx(0.0, abs=1e-10)


@pytest.mark.parametrize("turn", TURNS.values(), ids=TURNS)
def test_a_turn_takes_the_friction_of_its_closed_form(wheels: dict[str, tr.System], turn: Turn) -> None:
    """A hair below it the wheel slips at once, outwards; a hair above it sticks."""
    for beyond, state in ((-1e-9, 1), (1e-9, 2)):
        run = wheels["Coulomb"].simulate(1e-6, turn.start, turn.parameters(turn.friction + beyond), samples=2)
        assert np.all(run.values("road.state") == state)
    slipping = wheels["Coulomb"].simulate(0.02, turn.start, turn.parameters(0.99 * turn.friction), samples=2)
    assert slipping.values("road.state")[0] == 1
    outwards = -np.sign(turn.side_force)
    assert outwards * slipping.values("road.slip_y")[-1] > 1e-5


@pytest.mark.parametrize("name", [n for n, turn in TURNS.items() if turn.tube == turn.aside == 0])
def test_small_motions_about_a_turn(wheels: dict[str, tr.System], name: str) -> None:
    """Frequency of the nodding of a thin disc: with w3 = W cos(a),

    (A + m r^2) a'' = (C + m r^2) w2 w3 - A w3^2 tan(a) + m g r sin(a), (C + m r^2) w2' = -m r^2 w3 a' and
    A w3' = (A w3 tan(a) - C w2) a', so that both are functions of a near the turn.
    """
    turn = TURNS[name]
    a, A, C, I = turn.lean, turn.across, turn.about, turn.mass * turn.hub**2
    w2, w3 = turn.pitch_rate + turn.yaw_rate * sin(a), turn.yaw_rate * cos(a)
    w2_a, w3_a = -I * w3 / (C + I), w3 * np.tan(a) - C * w2 / A
    stiffness = 2 * A * w3 * w3_a * np.tan(a) + A * w3**2 / cos(a) ** 2 - turn.mass * G * turn.hub * cos(a)
    stiffness -= (C + I) * (w2_a * w3 + w2 * w3_a)
    found = wheels["NoSlip"].linearise(turn.start, turn.parameters(1.0))
    assert found.steady
    values = found.eigenvalues
    for wanted in (1j, -1j):
        assert np.min(np.abs(values - wanted * np.sqrt(complex(stiffness) / (A + I)))) < 1e-9


R, r, K = 1.0, 0.1, 0.4  # radii of pipe and ball; moment of inertia of the ball over m r^2
DRAG = K / (1 + K)  # two sevenths


def ball_on(surface: Surface, upright: bool, name: str) -> tr.System:
    """A ball of 1 kg on a plate or in a pipe that turns about the vertical by turn t + sway (1 - cos 2t)."""
    m = tr.Model("ball")
    turn, sway, mu = m.parameter("turn", 3.0), m.parameter("sway", 0.0), m.parameter("mu", 10.0)
    base, ball = m.body("base", 10.0, (5.0, 5.0, 10.0)), m.body("ball", 1.0, K * r**2)
    m.connect(tr.Revolute("z"), m.ground, base, law=tr.Servo(lambda t: turn * t + sway * (1 - tr.cos(2 * t))))
    place = base.frame(rotation=("x", np.pi / 2)) if upright else base
    law = tr.NoSlip() if name == "NoSlip" else tr.Coulomb(mu)
    m.connect(tr.HigherPair(surface, tr.Sphere(r)), place, ball, name="contact", law=law)
    return m.build()


@pytest.fixture(scope="module", params=["NoSlip", "Coulomb"])
def pipe(request: pytest.FixtureRequest) -> tr.System:
    return ball_on(tr.Cylinder(R, inside=True), True, request.param)


@pytest.fixture(scope="module", params=["NoSlip", "Coulomb"])
def turntable(request: pytest.FixtureRequest) -> tr.System:
    return ball_on(tr.Plane(), False, request.param)


def in_the_pipe(around: float, up: float, radial: float, turning: float) -> dict[str, Any]:
    """Start on the y axis, rolling: rate around the axis, velocity up, spin about the radius to the wall."""
    across = (turning * R - (R - r) * around) / r
    return {
        "ball.position": (0.0, R - r, 0.0), "ball.velocity": (-(R - r) * around, 0.0, up),
        "ball.angular_velocity": (-up / r, radial, across),
    }  # fmt: skip


@pytest.mark.parametrize(("around", "up", "radial", "turning"), [(5.0, 0.7, 4.0, 3.0), (-4.0, 0.0, 0.0, -7.0)])
def test_a_ball_in_a_turning_pipe_moves_up_and_down(
    pipe: tr.System, around: float, up: float, radial: float, turning: float
) -> None:
    """(1 + k) z'' = -g - k f (r w0 + f z) with f the rate around the axis, which stays: a frequency of sqrt(2/7) f."""
    run = pipe.simulate(10.0, in_the_pipe(around, up, radial, turning), {"turn": turning}, samples=21, **TIGHT)
    assert run.ok and run.events == []
    t, n = run.time, sqrt(DRAG) * around
    rest = -(G + K * around * r * radial) / (1 + K) / n**2
    z = rest - rest * np.cos(n * t) + up / n * np.sin(n * t)
    along = (R - r) * np.column_stack([-np.sin(around * t), np.cos(around * t)])
    assert run.values("ball.position") == pytest.approx(np.column_stack([along, z]), abs=1e-9)
    assert run.values("contact.normal_force") == pytest.approx((R - r) * around**2, abs=1e-9)
    assert run.values("contact.slip_force_y") == pytest.approx(G - n**2 * (z - rest), abs=1e-9)
    assert run.values("contact.slip_force_x") == pytest.approx(0.0, abs=1e-9)


def test_a_pipe_that_sways_takes_the_ball_along(pipe: tr.System) -> None:
    """The ball follows two sevenths of a change of the rate, whatever its vertical motion."""
    run = pipe.simulate(4.0, in_the_pipe(5.0, 0.0, 0.0, 3.0), {"sway": 0.4}, samples=21, **TIGHT)
    around = 5.0 * run.time + DRAG * R / (R - r) * 0.4 * (1 - np.cos(2 * run.time))
    along = (R - r) * np.column_stack([-np.sin(around), np.cos(around)])
    assert run.values("ball.position")[:, :2] == pytest.approx(along, abs=1e-9)


@pytest.mark.parametrize("pipe", ["Coulomb"], indirect=True)
@pytest.mark.parametrize("share", [0.5, 0.9])
def test_a_ball_in_a_pipe_slips_where_its_weight_is_too_much(pipe: tr.System, share: float) -> None:
    """Friction over normal force grows as (1 - cos(n t) / (1 + k)) g / ((R - r) f^2)."""
    around = 5.0
    unit = G / ((R - r) * around**2)
    mu = unit * (1 + share / (1 + K))
    slips = acos(-share) / (sqrt(DRAG) * around)
    run = pipe.simulate(slips + 1e-6, in_the_pipe(around, 0.0, 0.0, 3.0), {"mu": mu}, samples=3, **TIGHT)
    name, t = run.events[0]
    assert name == "contact slips"
    assert t == pytest.approx(slips, abs=1e-10)
    enough = unit * (1 + 1.0001 / (1 + K))
    assert pipe.simulate(5.0, in_the_pipe(around, 0.0, 0.0, 3.0), {"mu": enough}, samples=3).events == []


def on_the_table(x: float, v: tuple[float, float], turning: float) -> dict[str, Any]:
    """Start at x on the turning plate, rolling."""
    spin = ((turning * x - v[1]) / r, v[0] / r, 0.0)
    return {"ball.position": (x, 0.0, r), "ball.velocity": (*v, 0.0), "ball.angular_velocity": spin}


@pytest.mark.parametrize(("v", "turning"), [((0.3, 0.5), 3.0), ((-0.2, 1.1), -5.0)])
def test_a_ball_on_a_turntable_runs_in_circles(turntable: tr.System, v: tuple[float, float], turning: float) -> None:
    """v' = 2/7 (turning x v): a circle about a point that stays, with two sevenths of the rate of the table."""
    n = DRAG * turning
    friction = abs(n) * np.hypot(*v) / G
    start = on_the_table(0.6, v, turning)
    run = turntable.simulate(10.0, start, {"turn": turning, "mu": friction + 1e-8}, samples=21, **TIGHT)
    assert run.ok and run.events == []
    c, s = np.cos(n * run.time), np.sin(n * run.time)
    x, y = 0.6 + (v[0] * s - v[1] * (1 - c)) / n, (v[0] * (1 - c) + v[1] * s) / n
    path = np.column_stack([x, y, np.full_like(x, r)])
    assert run.values("ball.position") == pytest.approx(path, abs=1e-10)
    force = np.hypot(run.values("contact.slip_force_x"), run.values("contact.slip_force_y"))
    assert force == pytest.approx(friction * G, abs=1e-10)
