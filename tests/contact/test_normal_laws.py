"""Compliant normals that never pull: energies, bounces, and the rigid contact as their limit."""

from collections.abc import Callable

import casadi as ca
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import trundle as tr
from trundle.contact import normal
from trundle.contact.normal import NormalLaw

MASS, RADIUS, GRAVITY = 2.0, 0.1, 9.81
LAWS: dict[str, Callable[[], NormalLaw]] = {
    "Hertz": lambda: tr.Hertz(3.0, 1.7),
    "HuntCrossley": lambda: tr.HuntCrossley(3.0, 0.8),
    "LinearContact": lambda: tr.LinearContact(3.0, 0.7),
}


def ball(
    compliance: tr.EffortLaw, gravity: float = GRAVITY, model: tr.Model | None = None, **options: object
) -> tr.Model:
    m = model or tr.Model("bouncing ball")
    m.gravity = (0, 0, -gravity)
    body = m.body("ball", MASS, (0.4 * MASS * RADIUS**2,) * 3)
    m.connect(tr.Free(), m.ground, body, name="free")
    pair = tr.HigherPair(tr.Plane(), tr.Sphere(RADIUS))
    m.connect(pair, m.ground, body, name="floor", compliance=compliance, **options)
    return m


def bounced(law: NormalLaw, speed: float) -> float:
    """Coefficient of restitution without gravity."""
    start = {"ball.position": (0, 0, RADIUS + 0.01), "free.z_rate": -speed}
    run = ball(law, gravity=0.0).build().simulate(0.1, start=start, rtol=1e-12, atol=1e-12)
    assert run.values("floor.gap")[-1] > 0
    return float(run.values("ball.velocity")[-1, 2]) / speed


# -- energies ----------------------------------------------------------------------------------------------------------


def test_every_law_has_an_example() -> None:
    every = [v for v in vars(normal).values() if isinstance(v, type)]
    found = [c for c in every if issubclass(c, NormalLaw) and c is not NormalLaw]
    assert {c.__name__ for c in found} == set(LAWS)
    assert all(c.__name__ in tr.__all__ for c in found)


@pytest.mark.parametrize("name", LAWS)
def test_power_of_a_law(name: str) -> None:
    """effort * u = -dV/dt - dissipated; the force never pulls, and nothing acts across an open gap."""
    law = LAWS[name]()
    t, q, u = (ca.SX.sym(n) for n in "tqu")
    lost = law.dissipated(t, q, u)
    left = law.effort(t, q, u) * u + ca.jtimes(law.potential(t, q), q, u) + lost
    f = ca.Function("f", [t, q, u], [left, lost, law.effort(t, q, u), law.potential(t, q)])
    rng = np.random.default_rng(0)
    pushed = 0
    for _ in range(200):
        at = rng.normal(size=3) * (1, 1, 3)
        imbalance, heat, force, stored = map(float, f(*at))
        assert abs(imbalance) < 1e-12
        assert heat >= 0 and force >= 0 and stored >= 0
        assert at[1] < 0 or force == stored == heat == 0
        pushed += force > 0
    assert 50 < pushed < 150
    assert law.supplied(t, q, u) == 0.0
    assert law.element == "C" and law.only_pushes
    assert (law + tr.Hertz(1.0)).only_pushes and not (law + tr.Spring(1.0)).only_pushes


# -- bounces -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("formalism", ["kane", "newton_euler"])
def test_a_ball_on_hertz_bounces_for_ever(formalism: str) -> None:
    """Energy of a dozen bounces; k d^2.5 / 2.5 = m g (h + d) gives the deepest overlap."""
    stiffness, height = 1e7, 0.05
    start = {"ball.position": (0, 0, RADIUS + height)}
    system = ball(tr.Hertz(stiffness)).build(formalism)
    run = system.simulate(2.4, start=start, rtol=1e-13, atol=1e-13, samples=20001)
    assert run.energy.drift < 1e-9
    gap = run.values("floor.gap")
    deepest = 1e-3
    for _ in range(60):
        deepest = (2.5 * MASS * GRAVITY * (height + deepest) / stiffness) ** 0.4
    assert -gap.min() == pytest.approx(deepest, rel=1e-3)  # the samples need not meet the deepest point
    assert gap.max() == pytest.approx(height, abs=1e-9)
    landings = np.sum((gap[1:] < 0) & (gap[:-1] >= 0))
    assert landings == 12
    np.testing.assert_array_equal(run.values("floor.state"), gap < 0)
    assert np.all(run.values("floor.normal_force") >= 0)
    np.testing.assert_allclose(run.values("floor.normal_force"), stiffness * np.maximum(-gap, 0) ** 1.5, atol=1e-6)


@pytest.mark.parametrize("law", [tr.Hertz(1e6), tr.HuntCrossley(1e6, 0.1), tr.Hertz(1e9, exponent=2.5)])
def test_stiff_methods_see_the_ball_fly(law: NormalLaw) -> None:
    """The slope of the force is zero above the floor, where that of the root in it is infinite."""
    system, start = ball(law).build(), {"ball.position": (0, 0, RADIUS + 0.02)}
    runs = [system.simulate(0.3, start, method=m, samples=31) for m in ("order8", "stiff")]
    assert all(run.ok for run in runs) and runs[0].values("floor.gap").min() < 0
    gaps = [run.values("floor.gap") for run in runs]
    np.testing.assert_allclose(gaps[1], gaps[0], rtol=0, atol=1e-7)


def test_hunt_crossley_restitution() -> None:
    """Against a direct integration, and e = 1 - 2/3 chi v to second order."""
    stiffness, speed = 1e7, 0.5
    rest = []
    for chi in (0.02, 0.01):
        law = tr.HuntCrossley(stiffness, chi)

        def rates(t: float, x: np.ndarray, chi: float = chi) -> list[float]:
            depth = max(x[0], 0.0)
            return [x[1], -stiffness * depth**1.5 * max(1 + chi * x[1], 0.0) / MASS]

        direct = solve_ivp(rates, (0, 0.1), (0, speed), "DOP853", rtol=1e-13, atol=1e-16, max_step=1e-4)
        e = bounced(law, speed)
        assert e == pytest.approx(-direct.y[1, -1] / speed, abs=1e-9)
        rest.append(e - (1 - 2 / 3 * chi * speed))
    assert abs(rest[0]) < 1e-4
    assert rest[0] / rest[1] == pytest.approx(4.0, rel=0.05)


@pytest.mark.parametrize("ratio", [0.0, 0.1, 0.4])
def test_linear_contact_restitution(ratio: float) -> None:
    """Spring and damper until the force is zero, a closed form of the damping ratio."""
    stiffness, speed = 1e5, 0.7
    damping = 2 * ratio * np.sqrt(stiffness * MASS)
    root = np.sqrt(1 - ratio**2)
    angle = np.pi + np.arctan(2 * ratio * root / (2 * ratio**2 - 1))  # where the acceleration vanishes
    closed = -np.exp(-ratio / root * angle) * (np.cos(angle) - ratio / root * np.sin(angle))
    assert bounced(tr.LinearContact(stiffness, damping), speed) == pytest.approx(closed, abs=1e-9)


def test_friction_ends_where_the_ball_leaves_the_floor() -> None:
    """Thrown along: the force of friction is mu times the normal force, and none in the air."""
    m = ball(tr.Hertz(1e6), law=tr.RegularisedCoulomb(0.3, 1e-3))
    start = {"ball.position": (0, 0, RADIUS + 0.05), "free.x_rate": 2.0}
    system = m.build()
    run = system.simulate(1.0, start=start, rtol=1e-12, atol=1e-12)
    N, F = run.values("floor.normal_force"), run.values("floor.slip_force_x")
    assert np.all(F[N == 0] == 0) and np.sum(N == 0) > 100
    np.testing.assert_allclose(F, -0.3 * N * np.tanh(run.values("floor.slip_x") / 1e-3), atol=1e-7)
    assert np.all(run.values("floor.friction_power") >= 0)
    # Where a step meets the floor is chance: a run in twenty drifts by more than 1e-9.
    near = [start | {"free.x_rate": 2.0 + k * 1e-13} for k in range(5)]
    assert np.median([system.simulate(1.0, start=s, rtol=1e-12, atol=1e-12).energy.drift for s in near]) < 1e-9


# -- the rigid contact as the limit ------------------------------------------------------------------------------------


def in_bowl(compliance: tr.EffortLaw | None) -> tr.Model:
    """A ball that slides without friction in a bowl: a pendulum of length 0.4 m."""
    m = tr.Model("in bowl")
    body = m.body("ball", MASS, (0.4 * MASS * RADIUS**2,) * 3)
    if compliance is not None:
        m.connect(tr.Free(), m.ground, body, name="free")
    pair = tr.HigherPair(tr.Sphere(0.4 + RADIUS, inside=True), tr.Sphere(RADIUS))
    m.connect(pair, m.ground, body, name="bowl", compliance=compliance)
    return m


@pytest.mark.parametrize(("kind", "order"), [(tr.LinearContact, 1.0), (tr.Hertz, 2 / 3)])
def test_stiff_normals_converge_to_the_rigid_one(kind: type[NormalLaw], order: float) -> None:
    """The overlap is proportional to (N / k)^(1/n), and so is the error of the motion: first order in 1/k, and 2/3
    under Hertz's law.
    """
    angle, end = 0.8, 0.6
    rigid = in_bowl(None).build()
    place = (0.4 * np.sin(angle), 0, -0.4 * np.cos(angle))
    exact = rigid.simulate(end, start={"ball.position": place}).values("ball.position")[-1]
    errors = []
    for stiffness in (1e6, 8e6):
        depth = (MASS * GRAVITY * np.cos(angle) / stiffness) ** order  # in balance at the start
        pressed = tuple((1 + depth / 0.4) * x for x in place)
        run = in_bowl(kind(stiffness)).build().simulate(end, start={"ball.position": pressed}, rtol=1e-12, atol=1e-12)
        errors.append(float(np.linalg.norm(run.values("ball.position")[-1] - exact)))
    assert np.log(errors[0] / errors[1]) / np.log(8) == pytest.approx(order, abs=0.01)


# -- bad input ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: tr.Hertz(-1.0), "Hertz: stiffness must not be negative"),
        (lambda: tr.Hertz(0.0), "stiffness must be above zero"),
        (lambda: tr.Hertz(1e6, 0.5), "exponent must not be below 1"),
        (lambda: tr.Hertz(lambda s: 1e6), "stiffness is a number or a parameter"),
        (lambda: tr.HuntCrossley(1e6, -0.1), "HuntCrossley: damping must not be negative"),
        (lambda: tr.HuntCrossley(1e6, float("nan")), "damping must not be negative"),
        (lambda: tr.LinearContact(float("inf")), "stiffness must be finite"),
        (lambda: ball(tr.Hertz(1e6), unilateral=True), "unilateral is for a rigid normal"),
    ],
)
def test_bad_input_is_refused(make: Callable[[], object], words: str) -> None:
    with pytest.raises(tr.TrundleError, match=words):
        make()


def test_a_law_of_contact_stands_for_no_joint() -> None:
    m = tr.Model("hinge")
    body = m.body("rod", 1.0, (1, 1, 1))
    with pytest.raises(tr.TrundleError, match=r"Hertz is for the normal of a contact.*Revolute.*tr\.Spring"):
        m.connect(tr.Revolute("y"), m.ground, body, compliance=tr.Hertz(1e6))


def test_numbers_may_be_parameters() -> None:
    """Static overlap (m g / k)^(2/3); a negative stiffness is refused wherever it comes from."""
    m = tr.Model("parameters")
    law = tr.HuntCrossley(m.parameter("stiffness", 1e6), 1.0)
    m = ball(law, model=m)
    system = m.build()
    for value in (1e6, 2e6):
        depth = (MASS * GRAVITY / value) ** (2 / 3)
        start = {"ball.position": (0, 0, RADIUS - depth)}
        run = system.simulate(0.5, start=start, parameters={"stiffness": value})
        assert run.values("floor.gap") == pytest.approx(-depth, abs=1e-8)
    with pytest.raises(tr.TrundleError, match="HuntCrossley: stiffness must not be negative"):
        system.simulate(0.1, parameters={"stiffness": -1.0})


@pytest.mark.parametrize(
    "start", [{}, {"ball.angular_velocity": (0, -30.0, 5.0)}, {"free.x_rate": 1.0, "free.y_rate": 0.3}]
)
def test_exact_friction_on_a_ball_that_bounces(start: dict[str, object]) -> None:
    """It lands sliding, sticks, leaves and lands again: 5/7 of the slip's impulse is left, as on a rigid floor, but for
    the depth by which the lever of the friction is shorter than the radius.
    """
    m = ball(tr.HuntCrossley(1e6, 0.3), law=tr.Coulomb(0.3))
    run = m.build().simulate(1.5, start={"ball.position": (0, 0, RADIUS + 0.05), **start}, rtol=1e-12, atol=1e-12)
    assert run.ok and run.energy.drift < 1e-9
    v, w = run.values("ball.velocity"), run.values("ball.angular_velocity")
    shorter = -np.min(run.values("floor.gap")) / RADIUS
    for k, sign in ((0, 1), (1, -1)):
        rolling = 5 / 7 * v[0, k] + sign * 2 / 7 * RADIUS * w[0, 1 - k]
        assert v[-1, k] == pytest.approx(rolling, abs=1e-9 + shorter * abs(rolling - v[0, k]))
    assert {0.0, 2.0} <= set(run.values("floor.state"))
    air = run.values("floor.gap") > 0
    assert np.all(run.values("floor.state")[air] == 0) and np.all(run.values("floor.slip_force_x")[air] == 0)
