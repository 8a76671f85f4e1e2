"""Tyres: the Magic Formula with relaxation lengths, the brush model, the tyre of Neimark and Fufaev."""

from typing import Any

import casadi as ca
import numpy as np
import pytest
from scipy.linalg import expm

import trundle as tr
from trundle import examples
from trundle.bicycle.whipple import benchmark_parts, whipple
from trundle.errors import ModelError
from trundle.laws.friction_law import FrictionLaw

RNG = np.random.default_rng(18)


def efforts(law: FrictionLaw, motion: Any, rolling: float, bristles: Any = ()) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of a law: efforts over load against the motions, and rates."""
    found, rates = law.resist({}, [ca.SX(v) for v in motion], ca.SX(rolling), [ca.SX(z) for z in bristles])
    return tuple(np.array([float(ca.SX(v)) for v in each]) for each in (found, rates))  # type: ignore[return-value]


# -- the laws in numbers -----------------------------------------------------------------------------------------------


def magic(x: float, B: float, C: float, D: float, E: float) -> float:
    return float(D * np.sin(C * np.arctan(B * x - E * (B * x - np.arctan(B * x)))))


def test_the_formula_in_pure_slip() -> None:
    law = tr.MagicTyre(1.1, 0.9, 22.0, 14.0, 1.65, 1.3, -0.4, -1.2, slow=1e-9)
    for slip in (-2.0, -0.1, 1e-6, 0.03, 0.2, 1.0):
        along, _ = efforts(law, (slip * 20, 0), 20.0)
        across, _ = efforts(law, (0, slip * 20), -20.0)
        assert along == pytest.approx([magic(slip, 22 / 1.65 / 1.1, 1.65, 1.1, -0.4), 0], abs=1e-12)
        assert across == pytest.approx([0, magic(slip, 14 / 1.3 / 0.9, 1.3, 0.9, -1.2)], abs=1e-12)


def test_one_peak_is_that_of_both_directions() -> None:
    for motion in ((8.0, 0.0), (0.0, 8.0), (3.0, -4.0)):
        assert np.array_equal(
            efforts(tr.MagicTyre(0.4), motion, 20.0)[0], efforts(tr.MagicTyre(0.4, 0.4), motion, 20.0)[0]
        )
    assert efforts(tr.MagicTyre(0.4), (0.0, 8.0), 20.0)[0][1] < 0.41


def test_combined_slip_is_against_the_slip_and_within_the_ellipse() -> None:
    law = tr.MagicTyre(1.1, 0.9, 22.0, 14.0, 1.6, 1.3, -0.4, -1.2)
    same = tr.MagicTyre(1.0, 1.0, 15.0, 15.0, 1.4, 1.4)
    for motion in RNG.normal(size=(50, 2)) * 5:
        found, _ = efforts(law, motion, 20.0)
        assert found @ motion > 0 and np.all(found * motion >= 0)
        assert (found[0] / 1.1) ** 2 + (found[1] / 0.9) ** 2 <= 1 + 1e-12
        equal, _ = efforts(same, motion, 20.0)
        assert equal[0] * motion[1] == pytest.approx(equal[1] * motion[0], abs=1e-12)  # no sense of direction


@pytest.mark.parametrize("sigma", [(0.02, 0.0), (0.0, -0.05), (0.06, 0.08), (-0.3, 0.1)])
def test_the_brush_model_against_its_bristles(sigma: tuple[float, float]) -> None:
    """Sum over the patch: each bristle bends from the leading edge on until pressure times mu lets it slide."""
    mu, stiffness, a = 0.8, 15.0, 0.06
    x = (np.arange(200_000) + 0.5) / 200_000 * 2 * a  # from the leading edge
    pressure = 3 / (4 * a) * (1 - (x / a - 1) ** 2)  # over load, integral 1
    k = stiffness / (2 * a**2)  # of the bristles over load: 2 a^2 k sigma is the force of a patch that adheres
    size = np.hypot(*sigma)
    stress = np.minimum(k * x * size, mu * pressure)
    dx = 2 * a / len(x)
    force = np.sum(stress) * dx * np.array(sigma) / size  # against the slip
    moment = np.sum((a - x) * -stress * sigma[1] / size) * dx  # of the force on the wheel, about the middle
    turning, rolling = 12.0, 12.0 * (1 + sigma[0])
    law = tr.BrushTyre(mu, stiffness, a, slow=1e-9)
    found, _ = efforts(law, (sigma[0] * turning, sigma[1] * turning, 0.3), rolling)
    assert found[:2] == pytest.approx(force, abs=1e-6)
    assert -found[2] == pytest.approx(moment, abs=1e-7)
    assert len(efforts(tr.BrushTyre(mu, stiffness), (1.0, 1.0), 12.0)[0]) == 2


# -- on a wheel that is led over the road ------------------------------------------------------------------------------

SPEED, TOE, LOAD = 8.0, 0.01, 20.0 * 9.81


def led(law: Any) -> Any:
    """Side force and turning moment of the road, over the load, on a wheel led straight on with a small toe angle."""
    m = tr.Model("led")
    sledge, fork = m.body("sledge", 1.0, 1.0), m.body("fork", 1.0, 1.0)
    wheel = m.body("wheel", 18.0, (0.4, 0.8, 0.4))
    m.connect(tr.Prismatic("x"), m.ground, sledge, law=tr.Servo(lambda t: SPEED * t))
    m.connect(tr.Prismatic("z"), sledge, fork, name="heave")
    m.connect(tr.Revolute("y"), fork.frame((0, 0, 0), ("z", TOE)), wheel, name="hub")
    m.connect(tr.HigherPair(tr.Plane(), tr.CircleEdge(0.3)), m.ground, wheel, name="tyre", law=law)
    m.start = {"fork.position": (0, 0, 0.3), "sledge.displacement_rate": SPEED, "hub.angle_rate": SPEED / 0.3}
    run = m.build().simulate(0.4, samples=21, method="stiff", rtol=1e-9)
    load = run.values("tyre.normal_force")
    np.testing.assert_allclose(load, 19.0 * 9.81, rtol=1e-9)
    return SPEED * run.time, run.values("tyre.slip_force_y") / load, run


def test_the_side_force_builds_up_over_the_relaxation_length() -> None:
    law = tr.MagicTyre(stiffness_x=30.0, stiffness_y=10.0, relaxation_x=0.5, relaxation_y=0.5, slow=1e-6)
    way, force, run = led(law)
    expected = 10.0 * np.tan(TOE) * (1 - np.exp(-way / 0.5))
    np.testing.assert_allclose(force, expected, atol=4e-4)  # the curve bends: 10 TOE is a tenth of its peak
    _, weak, _ = led(tr.MagicTyre(50.0, 50.0, 30.0, 10.0, relaxation_x=0.5, relaxation_y=0.5, slow=1e-6))
    np.testing.assert_allclose(weak, expected, atol=1e-5)
    assert run.values("tyre.bristle_y")[-1] == pytest.approx(-0.5 * np.tan(TOE), rel=2e-3)


def test_the_tyre_of_neimark_and_fufaev_on_the_same_wheel() -> None:
    """z' = v / V + w, w' = spin / V - alpha z - beta w over the way, by a matrix exponential; then the steady slip."""
    a, b, alpha, beta = 20.0, 0.4, 30.0, 8.0
    way, force, _ = led(tr.FufaevNeimark(a, b, alpha, beta))
    A = np.array([[0.0, 1.0], [-alpha, -beta]])
    steady = np.linalg.solve(A, [np.sin(TOE) / np.cos(TOE), 0.0])  # v = -V sin(toe), rolling at V cos(toe)
    z = np.array([(np.eye(2) - expm(A * s * np.cos(TOE))) @ steady for s in way])[:, 0]
    np.testing.assert_allclose(force, -a * z, atol=1e-9)
    assert force[-1] == pytest.approx(a * beta / alpha * np.tan(TOE), rel=0.02)


def test_shimmy_of_a_castor() -> None:
    """A wheel that trails behind a pivot: its yaw against the linear equations of [Neimark 1972], unstable here."""
    a, b, alpha, beta, trail, inertia = 60.0, 1.5, 30.0, 6.0, 0.08, 1.5
    m = tr.Model("castor")
    sledge, lift = m.body("sledge", 1.0, 1.0), m.body("lift", 1.0, 1.0)
    arm, wheel = m.body("arm", 1e-3, 1e-6), m.body("wheel", 18.0, (0.4, 0.8, 0.4))
    m.connect(tr.Prismatic("x"), m.ground, sledge, law=tr.Servo(lambda t: SPEED * t))
    m.connect(tr.Prismatic("z"), sledge, lift, name="heave")
    m.connect(tr.Revolute("z"), lift, arm, name="pivot")
    m.connect(tr.Revolute("y"), arm.at(-trail, 0, 0), wheel, name="hub")
    m.connect(
        tr.HigherPair(tr.Plane(), tr.CircleEdge(0.3)), m.ground, wheel, name="tyre",
        law=tr.FufaevNeimark(a, b, alpha, beta),
    )  # fmt: skip
    m.start = {"lift.position": (0, 0, 0.3), "pivot.angle": 1e-4, "sledge.displacement_rate": SPEED,
               "hub.angle_rate": SPEED / 0.3}  # fmt: skip
    run = m.build().simulate(0.5, samples=26, method="stiff", rtol=1e-10)
    load = (1.0 + 1e-3 + 18.0) * 9.81
    inertia = 0.4 + 18.0 * trail**2 + 1e-6
    # psi, its rate, lambda, phi: F = a lambda at the trail, M = b phi; v = -trail psi' - V psi
    A = np.array(
        [
            [0, 1, 0, 0],
            [0, 0, -trail * a * load / inertia, b * load / inertia],
            [SPEED, trail, 0, SPEED],
            [0, -1, -SPEED * alpha, -SPEED * beta],
        ]
    )
    assert np.max(np.linalg.eigvals(A).real) > 0.5
    exact = np.array([expm(A * t) @ [1e-4, 0, 0, 0] for t in run.time])[:, 0]
    np.testing.assert_allclose(run.values("pivot.angle"), exact, atol=2e-3 * np.max(np.abs(exact)))


# -- vehicles ----------------------------------------------------------------------------------------------------------


def test_eigenvalues_of_the_single_track_car() -> None:
    """Lateral velocity, yaw rate, and the slip angle that each tyre has got so far."""
    V, m, front, rear, relaxation = 25.0, 1585.0, 1.1, 1.5, 0.4
    model = examples.model("single-track-car", {"steer_deg": 0.0})
    found = model.build().linearise(model.start).eigenvalues
    # mass centre of car, knuckle and wheels, yaw inertia about it
    masses, places = np.array([1500.0, 45.0, 40.0]), np.array([0.0, front, -rear])
    centre = masses @ places / m
    inertia = 2500 + 0.1 + 2 * 1.0 + masses @ (places - centre) ** 2
    a, b = front - centre, rear + centre
    C_f, C_r = 12 * m * 9.81 * b / (a + b), 15 * m * 9.81 * a / (a + b)
    A = np.array(
        [
            [0, -V, C_f / m, C_r / m],
            [0, 0, a * C_f / inertia, -b * C_r / inertia],
            [-1 / relaxation, -a / relaxation, -V / relaxation, 0],
            [-1 / relaxation, b / relaxation, 0, -V / relaxation],
        ]
    )
    for value in np.linalg.eigvals(A):
        assert np.min(np.abs(found - value)) < 2e-4 * abs(value)  # `slow` = 0.1 m/s


def test_the_turn_of_the_car_is_that_of_its_understeer_gradient() -> None:
    file = examples.load("single-track-car", {"steer_deg": 0.5})
    run = file.model.build().simulate(4.0, method="stiff", rtol=1e-8, samples=41)
    V = float(np.hypot(*run.values("car.velocity")[-1, :2]))
    gradient = (1 / 12 - 1 / 15) / 9.81
    assert run.values("yaw_rate")[-1] == pytest.approx(V * np.radians(0.5) / (2.6 + gradient * V**2), rel=5e-3)
    assert run.energy.drift < 1e-8


def test_a_bicycle_with_stiff_tyres_is_the_benchmark() -> None:
    """The eigenvalues of steady motion tend to the published ones in the first order of 1 / stiffness."""
    exact = -0.77534188 + 4.46486771j
    start = {"speed": 5.0, "rear_angle_rate": 5 / 0.3, "front_angle_rate": 5 / 0.35}
    errors = []
    for k in (200.0, 800.0):
        tyres = tr.MagicTyre(stiffness_x=k, stiffness_y=k, slow=1e-6)
        found = whipple(benchmark_parts(), tyres=tyres).build().linearise(start).eigenvalues
        errors.append(np.min(np.abs(found - exact)))
    assert np.log(errors[0] / errors[1]) / np.log(4) == pytest.approx(1.0, abs=0.03)
    assert errors[1] < 6e-3


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: tr.MagicTyre(mu_x=0.0), "above zero"),
        (lambda: tr.MagicTyre(curvature_y=1.5), "curvature_y is at most 1"),
        (lambda: tr.MagicTyre(relaxation_x=0.3), "both relaxation lengths"),
        (lambda: tr.BrushTyre(stiffness=-1.0), "must not be negative"),
        (lambda: tr.FufaevNeimark(0.0, 1.0, 1.0, 1.0), "above zero"),
    ],
)
def test_what_is_refused(make: Any, told: str) -> None:
    with pytest.raises(ModelError, match=told):
        make()
