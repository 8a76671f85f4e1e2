"""The relaxed law of rolling: the paper's wheel by hand, limits, and what is refused."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import trundle as tr
from trundle.errors import ModelError, SolveError, UnknownNameError

M, R, I, G = 25.0, 0.3, 1.125, 9.81


def wheel(law: Any, torque: float = 60.0, **options: Any) -> tr.Model:
    """The driven wheel of [Ikoki 2021, Sec. 3] with the drag of Sec. 3.1."""
    m = tr.Model("wheel")
    body = m.body("wheel", M, (I / 2, I, I / 2))
    m.connect(tr.PlanarPair(tr.Line(), tr.Circle(R)), m.ground, body, name="tyre", law=law, **options)
    m.start["wheel.position"] = (0, 0, R)

    def turning(s: Any) -> Any:
        return s["wheel.angular_velocity_y"]

    m.apply(
        tr.Wrench(
            body,
            force=lambda s: (-1.7 * turning(s) ** 2, 0, 0),
            moment=lambda s: (0, torque * tr.tanh(0.5 * s["t"]) - 0.34 * turning(s), 0),
        ),
        name="drive",
    )
    return m


def by_hand(mu: float, torque: float, printed: bool, end: float, k_s: float = 1.0, k_f: float = 1.0) -> Any:
    """x', theta' from Eqs. 4, 5 and 18 to 22; with C = (F_c, 0, 0) and the printed sign, or with the moment of F_c."""
    mass = np.diag([M, M, I])
    A = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, -R]])

    def rates(t: float, u: np.ndarray) -> list[float]:
        x, theta = u
        drive = torque * np.tanh(0.5 * t)
        Q = np.array([-1.7 * theta**2, -M * G, drive - 0.34 * theta])
        N = M * G
        s = 1 - np.tanh(k_s * drive / (3 * mu * N * R)) ** 2
        F = mu * N * np.tanh(k_f * drive / (3 * mu * N * R)) * np.tanh(R * theta - x)
        C = np.array([-F, 0.0, 0.0]) if printed else np.array([F, 0.0, -R * F])
        half = np.diag(1 / np.sqrt(np.diag(mass)))
        X = half @ np.linalg.pinv(np.diag([1.0, 1 / s]) @ A @ half) @ np.diag([1.0, s])
        a, c = np.linalg.solve(mass, Q), np.linalg.solve(mass, C)
        udot = a - X @ A @ a + c - X @ A @ c
        return [udot[0], udot[2]]

    return solve_ivp(rates, (0, end), [0.0, 0.0], rtol=1e-11, atol=1e-11).y[:, -1]


@pytest.mark.parametrize("printed", [False, True])
@pytest.mark.parametrize(("mu", "torque", "k_s", "k_f"), [(0.3, 60.0, 1.0, 1.0), (0.9, 220.0, 2.0, 0.5)])
def test_the_wheel_of_the_paper(mu: float, torque: float, k_s: float, k_f: float, printed: bool) -> None:
    law = tr.Relaxed(mu, k_s, k_f, as_printed=printed, traction=lambda s: torque / R * tr.tanh(0.5 * s["t"]))
    run = wheel(law, torque).build().simulate(3.0, samples=31)
    x, theta = by_hand(mu, torque, printed, 3.0, k_s, k_f)
    assert run.values("wheel.velocity")[-1, 0] == pytest.approx(x, abs=1e-8)
    assert run.values("wheel.angular_velocity")[-1, 1] == pytest.approx(theta, abs=1e-8)
    assert run.energy.drift < 1e-10
    drive = torque * np.tanh(0.5 * run.time)
    s = 1 - np.tanh(k_s * drive / (3 * mu * M * G * R)) ** 2
    np.testing.assert_allclose(run.values("tyre.stiction"), s, atol=1e-12)
    traction = M * run.values("wheel.acceleration")[:, 0] + 1.7 * run.values("wheel.angular_velocity")[:, 1] ** 2
    np.testing.assert_allclose(run.values("tyre.slip_force_x"), traction, atol=1e-7)


def test_friction_acts_in_proportion_to_the_relaxation_of_the_rolling() -> None:
    """Traction is s^2 times that of rolling and 1 - s^2 times friction; the power audit closes."""
    run = wheel(tr.Relaxed(0.3)).build().simulate(3.0, samples=31)
    assert run.power.residual.relative < 1e-12
    s2, slip, N = run.values("tyre.stiction") ** 2, run.values("tyre.slip_x"), run.values("tyre.normal_force")
    theta = run.values("wheel.angular_velocity")[:, 1]
    drive = 60.0 * np.tanh(0.5 * run.time) - 0.34 * theta
    rolling = (drive / I * R + 1.7 * theta**2 / M) / (1 / M + R**2 / I)
    friction = -0.3 * N * np.tanh(np.abs(rolling) / (3 * 0.3 * N)) * np.tanh(slip)
    np.testing.assert_allclose(run.values("tyre.slip_force_x"), s2 * rolling + (1 - s2) * friction, atol=1e-7)
    assert run.values("tyre.friction_power")[-1] == pytest.approx(-run.values("tyre.slip_force_x")[-1] * slip[-1])
    lost = np.trapezoid(run.values("tyre.friction_power"), run.time)
    assert run.energy.work_lost[-1] == pytest.approx(lost, rel=5e-3)  # the trapezoids of 31 samples


@pytest.mark.parametrize("options", [{"unilateral": True}, {"compliance": tr.Spring(1e8, 1e5)}])
def test_normals_that_open_or_yield(options: dict[str, Any]) -> None:
    rigid = wheel(tr.Relaxed(0.3)).build().simulate(2.0, samples=2)
    other = wheel(tr.Relaxed(0.3), **options).build().simulate(2.0, samples=2)
    assert other.values("tyre.slip_x")[-1] == pytest.approx(rigid.values("tyre.slip_x")[-1], abs=1e-4)
    assert other.energy.drift < 1e-9


def test_large_friction_ends_in_rolling() -> None:
    """1 - s is proportional to 1 / mu^2, and so is the slip."""
    slips = [abs(wheel(tr.Relaxed(mu)).build().simulate(2.0, samples=2).values("tyre.slip_x")[-1]) for mu in (4.0, 8.0)]
    assert np.log2(slips[0] / slips[1]) == pytest.approx(2.0, abs=0.05)
    exact = wheel(tr.NoSlip()).build().simulate(2.0, samples=2).values("wheel.velocity")[-1, 0]
    near = wheel(tr.Relaxed(1e3)).build().simulate(2.0, samples=2).values("wheel.velocity")[-1, 0]
    assert near == pytest.approx(exact, abs=1e-5)


def test_a_weight_may_depend_on_multipliers() -> None:
    """A row that is relaxed the more, the larger its multiplier would be."""
    m = wheel(tr.NoSlip(), unilateral=True)
    m.relax("tyre.slip_x", lambda s: 1 / (1 + (s.multiplier("tyre.slip_x") / s.multiplier("tyre.normal")) ** 2))
    run = m.build().simulate(1.0, samples=3)
    theta = run.values("wheel.angular_velocity")[:, 1]
    drive = 60.0 * np.tanh(0.5 * run.time) - 0.34 * theta
    rolling = (drive / I * R + 1.7 * theta**2 / M) / (1 / M + R**2 / I)
    weight = 1 / (1 + (rolling / (M * G)) ** 2)
    np.testing.assert_allclose(run.values("tyre.slip_force_x"), weight**2 * rolling, atol=1e-8)


# -- several feet ------------------------------------------------------------------------------------------------------

MASS, HALF = 10.0, 0.5
FEET = [("left", "right"), ("right", "left")]


@cache
def box(order: tuple[str, ...], unilateral: bool) -> tr.System:
    """A box on two sharp feet, its mass centre at `high`, pulled with 25 N at the height `at`."""
    m = tr.Model("box")
    high, at = m.parameter("high", 0.5), m.parameter("at", 0.3)
    body = m.body("box", MASS, 0.5)
    for name in order:
        foot = body.at(HALF if name == "right" else -HALF, 0, -high)
        law = tr.Relaxed(m.parameter(f"mu_{name}", 0.3))
        m.connect(tr.PlanarPair(tr.Line(), tr.Vertex()), m.ground, foot, name=name, law=law, unilateral=unilateral)
    m.apply(tr.Wrench(body.at(0, 0, at - high), force=(25.0, 0, 0)))
    m.start["box.position"] = (0, 0, high)
    return m.build()


def box_by_hand(mu: dict[str, float], high: float, at: float) -> float:
    """Speed after 1 s: Eqs. 18, 21, 22 with all four rows, loads and tractions of least norm."""
    A = np.array([[0, 1, HALF], [0, 1, -HALF], [1, 0, -high], [1, 0, -high]])  # on x, z and the turn about y
    mass = np.diag([MASS, MASS, 0.5])
    a = np.linalg.solve(mass, [25.0, -MASS * G, 25.0 * (at - high)])
    loads = np.linalg.pinv(A @ np.linalg.inv(mass) @ A.T) @ (-A @ a)
    limit = np.array([mu["left"], mu["right"]]) * loads[:2]
    s = 1 - np.tanh(np.abs(loads[2:]) / (3 * limit)) ** 2
    root = np.diag(1 / np.sqrt(np.diag(mass)))
    X = root @ np.linalg.pinv(np.diag([1, 1, *(1 / s)]) @ A @ root) @ np.diag([1, 1, *s])

    def rates(t: float, v: np.ndarray) -> list[float]:
        friction = -limit * np.tanh(np.abs(loads[2:]) / (3 * limit)) * np.tanh(v[0])
        c = np.linalg.solve(mass, A[2:].T @ friction)
        return [(a - X @ A @ a + c - X @ A @ c)[0]]

    return float(solve_ivp(rates, (0, 1), [0.0], rtol=1e-11, atol=1e-12).y[0, -1])


@pytest.mark.parametrize("unilateral", [False, True])
@pytest.mark.parametrize(
    ("mu", "high", "at"),
    [((0.3, 0.3), 0.0, 0.0), ((0.3, 0.3), 0.5, 0.3), ((0.3, 0.6), 0.5, 0.3), ((0.9, 0.2), 0.2, 0.4)],
)
def test_feet_share_whatever_their_order(mu: tuple[float, float], high: float, at: float, unilateral: bool) -> None:
    of = {"left": mu[0], "right": mu[1]}
    given = {"mu_left": mu[0], "mu_right": mu[1], "high": high, "at": at}
    runs = [box(order, unilateral).simulate(1.0, parameters=given, samples=3) for order in FEET]
    exact = box_by_hand(of, high, at)
    for run in runs:
        assert run.values("box.velocity")[-1, 0] == pytest.approx(exact, abs=1e-9)
        assert run.energy.drift < 1e-10
        for quantity in ("slip_force_x", "normal_force", "stiction"):
            for foot in of:
                found, other = (r.values(f"{foot}.{quantity}") for r in (run, runs[0]))
                np.testing.assert_allclose(found, other, atol=1e-8)
    if high == 0:
        assert exact == pytest.approx(0.345423, abs=1e-6)
        shares = [runs[0].values(f"{foot}.slip_force_x") for foot in of]
        np.testing.assert_allclose(shares[0], shares[1], atol=1e-10)


def vehicle(order: tuple[int, ...], torque: float = 0.0, side: float = 0.0, mu: float = 0.5) -> tr.Model:
    """A rigid chassis on four relaxed wheels."""
    m = tr.Model("vehicle")
    chassis = m.body("chassis", 100.0, (10.0, 30.0, 35.0))
    m.connect(tr.Free(), m.ground, chassis, name="place")
    corners = [(x, y) for x in (1.2, -1.2) for y in (0.7, -0.7)]
    for i in order:
        wheel = m.body(f"wheel{i}", 5.0, (0.1, 0.2, 0.1))
        m.connect(tr.Revolute("y"), chassis.at(*corners[i], 0), wheel, name=f"axle{i}", law=tr.Motor(torque))
    for i in order:
        pair = tr.HigherPair(tr.Plane(), tr.CircleEdge(0.3))
        m.connect(pair, m.ground, m.bodies[f"wheel{i}"], name=f"tyre{i}", law=tr.Relaxed(mu))
    m.apply(tr.Wrench(chassis, force=(0, side, 0)))
    m.start["place.z"] = 0.3
    return m


@pytest.mark.slow
def test_a_rigid_vehicle_on_four_relaxed_wheels() -> None:
    """Loads and side forces in equal parts; the drive as for one wheel with a quarter of the mass."""
    torque, side, mu = 20.0, 60.0, 0.5
    runs = [vehicle(order, torque, side, mu).build().simulate(0.5, samples=3) for order in ((0, 1, 2, 3), (3, 1, 0, 2))]
    moved = [np.hstack([run.values("chassis.velocity"), run.values("chassis.angular_velocity")]) for run in runs]
    np.testing.assert_allclose(moved[0], moved[1], atol=1e-9)
    for run in runs:
        assert run.ok
        assert run.energy.drift < 1e-9
        left = np.array([run.values(f"tyre{i}.normal_force")[0] for i in range(4)])
        assert np.sum(left) == pytest.approx(120.0 * 9.81, rel=1e-9)
        forces = np.array([run.values(f"tyre{i}.slip_force_y")[0] for i in range(4)])
        assert abs(np.sum(forces)) > 1.0
    quarter = 100.0 / 4 + 5.0
    rolling = torque / 0.3 / (1 + 0.2 / (quarter * 0.3**2)) / 1.0  # traction of each wheel that rolls
    system = vehicle((0, 1, 2, 3), torque, 0.0, 1e4).build()
    found = system.accelerations({})["chassis.acceleration"]
    assert found[0] == pytest.approx(rolling / quarter, rel=1e-6)


def weightless() -> tr.System:
    m = wheel(tr.Relaxed(0.3))
    m.gravity = (0.0, 0.0, 0.0)
    return m.build()


def asking(row: str) -> tr.System:
    m = wheel(tr.NoSlip())
    m.relax("tyre.slip_x", lambda s: tr.exp(-(s.multiplier(row) ** 2)))
    return m.build()


@pytest.mark.parametrize(
    ("act", "error", "text"),
    [
        (lambda: tr.Relaxed(0.0), ModelError, "mu must be above zero"),
        (lambda: tr.Relaxed(-0.2), ModelError, "mu must not be negative"),
        (lambda: tr.Relaxed(0.3, k_s=0.0), ModelError, r"k_s must be above zero; tr.NoSlip"),
        (lambda: tr.Relaxed(0.3, traction="much"), ModelError, "traction is a number, a parameter or a function"),
        (lambda: wheel(tr.Relaxed(0.3)).build("kane"), ModelError, r"'tyre' relax constraints.*udwadia_kalaba"),
        (lambda: wheel(tr.Relaxed(0.3)).build().linearise(), SolveError, "a linearisation needs ideal constraints"),
        (lambda: weightless().simulate(1.0), SolveError, r"'tyre': Relaxed compares .* normal force, which is"),
        (lambda: asking("tyre.normal"), ModelError, r"'tyre.normal' has no multiplier: .*unilateral=True"),
        (lambda: asking("tyre.slip"), UnknownNameError, r"no constraint row with a multiplier called 'tyre.slip'"),
        (
            lambda: wheel(tr.Relaxed(0.3, as_printed=True)).build().simulate(0.1, samples=2).power.residual,
            SolveError,
            r"'tyre' acts at a mass centre \(as_printed=True\)",
        ),
    ],
)
def test_what_is_refused(act: Callable[[], Any], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        act()
