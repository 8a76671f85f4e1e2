"""The percussion centre against the balance of momentum, written in three-dimensional vectors."""

import numpy as np
import pytest

from trundle.errors import ModelError
from trundle.walker import PercussionPlane, critical_values

RNG = np.random.default_rng(20)
CASES = [
    (PercussionPlane(float(RNG.uniform(0.05, 1.52)), float(RNG.uniform(0.3, 3.0))), RNG.uniform(0.01, 2.0, 40))
    for _ in range(40)
]
RATIOS = [RNG.normal(0.0, 2.0, 40) for _ in CASES]
FRICTION = [RNG.exponential(1.0, 40) for _ in CASES]


def balance(plane, lam, kappa, mass=1.7):
    """Changes of (angular velocity, velocity of G) by the impulse mass * (kappa, 1) at the front foot."""
    foot = np.array([plane.length * np.sin(plane.half_angle), -plane.length * np.cos(plane.half_angle), 0.0])
    impulse = mass * np.stack([kappa, np.ones_like(kappa), np.zeros_like(kappa)], axis=-1)
    spin = np.cross(foot, impulse) / (lam * mass * plane.length**2)[:, None]
    return spin, impulse / mass


def velocity_at(plane, spin, v_G, x, y):
    point = np.stack(np.broadcast_arrays(x, y, 0.0), axis=-1)
    return v_G + np.cross(spin, point)


@pytest.mark.parametrize(("case", "kappa"), [*zip(CASES, RATIOS, strict=True)])
def test_velocity_of_the_centre_gives_all_increments(case, kappa):
    plane, lam = case
    x, y = plane.centre(lam, kappa)
    spin, v_G = balance(plane, lam, kappa)
    size = 1 + np.abs(spin[:, 2]) * np.hypot(x, y)
    assert np.max(np.abs(velocity_at(plane, spin, v_G, x, y)) / size[:, None]) < 1e-13
    feet = [velocity_at(plane, spin, v_G, side * plane.reach, -plane.height) for side in (1, -1)]
    found = plane.increments(x, y)
    np.testing.assert_allclose(found.turning, -spin[:, 2], rtol=1e-10)
    for foot in feet:
        np.testing.assert_allclose(found.v_t, foot[:, 0], rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(found.v_nf, feet[0][:, 1], rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(found.v_nb, feet[1][:, 1], rtol=1e-9, atol=1e-10)
    assert np.array_equal(plane.double_point(x, y), feet[1][:, 1] < 0)
    assert np.array_equal(plane.jamb(x, y), feet[0][:, 1] < 0)
    assert not np.any(plane.jamb(x, y) & plane.double_point(x, y))
    assert np.all(plane.inside(x, y))
    np.testing.assert_allclose(plane.inertia_ratio(x, y), lam, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(plane.kappa(x, y), kappa, rtol=1e-12)
    assert all(np.array_equal(a, np.sign(b)) for a, b in zip(found.signs(), found, strict=True))


@pytest.mark.parametrize(("plane", "lam"), CASES[:12])
def test_lines_intersect_in_the_centre(plane, lam):
    for one in lam[:8]:
        for friction, sliding, sign in ((0.4, "forward", -1), (5.0, "forward", -1), (0.7, "backward", 1)):
            x, y = plane.centre(one, sign * friction)
            for line, ray in ((plane.inertia_line(one), False), (plane.friction_line(friction, sliding), True)):
                along = (x - line.point[0]) * line.direction[0] + (y - line.point[1]) * line.direction[1]
                assert np.hypot(*line.direction) == pytest.approx(1)
                np.testing.assert_allclose(line.at(along), (x, y), rtol=1e-10, atol=1e-10)
                assert along > 0 or not ray


@pytest.mark.parametrize(("plane", "lam"), CASES)
def test_critical_points_and_hyperbola(plane, lam):
    critical = critical_values(lam, plane.half_angle)
    for kappa, which in ((-critical.mu_c, 0), (-critical.mu_j, 1), (-critical.mu_DP, 2)):
        spin, v_G = balance(plane, lam, kappa)
        front = velocity_at(plane, spin, v_G, plane.reach, -plane.height)
        back = velocity_at(plane, spin, v_G, -plane.reach, -plane.height)
        change = (front[:, 0], front[:, 1], back[:, 1])[which]
        there = kappa != 0 if which == 2 else np.full(lam.shape, True)
        assert np.max(np.abs(change[there]), initial=0.0) < 1e-9 * np.max(1 + np.abs(kappa) / lam)
    x, y = plane.critical_point(lam)
    np.testing.assert_allclose(y, plane.ground_line().point[1])
    np.testing.assert_allclose(plane.inertia_ratio(x, y), lam)
    x, y = plane.conjugated_point(lam)
    tan, s, c, L = np.tan(plane.half_angle), np.sin(plane.half_angle), np.cos(plane.half_angle), plane.length
    residual = y**2 - y * x * tan + L * (y * c + x * s)  # [Barjau 2022, Eq. 4.2]
    assert np.max(np.abs(residual)) < 1e-12 * np.max(L**2 + y**2 + np.abs(x * y) * tan)
    np.testing.assert_allclose(plane.hyperbola(y), x, rtol=1e-7)
    assert np.all((y > 0) & (y < plane.height))  # the asymptote is as high above G as G above the ground
    np.testing.assert_allclose(plane.conjugated_point(1e9)[1], plane.height, rtol=1e-6)


@pytest.mark.parametrize(("case", "friction"), [*zip(CASES, FRICTION, strict=True)])
def test_areas_of_reversal_and_of_later_double_points(case, friction):
    plane, lam = case
    mu_c = critical_values(lam, plane.half_angle).mu_c
    assert np.array_equal(plane.reversal(*plane.centre(lam, friction)), friction < mu_c)
    assert not np.any(plane.reversal(*plane.centre(lam, -friction)))
    sticks_down = plane.increments(*plane.critical_point(lam)).v_nb < 0
    lifted = plane.increments(*plane.centre(lam, -friction)).v_nb > 0
    assert np.array_equal(plane.later_double_point(*plane.centre(lam, -friction)), lifted & sticks_down)
    assert not np.any(plane.later_double_point(*plane.centre(lam, friction)))
    if plane.half_angle <= np.pi / 4:
        assert plane.limit_inertia() <= 0 and not np.any(sticks_down)


def test_lines_through_G_and_along_the_ground():
    plane = PercussionPlane(np.radians(60.0), 2.0)
    assert plane.vertical_line() == ((0, 0), (0, 1)) and plane.horizontal_line() == ((0, 0), (1, 0))
    assert plane.ground_line().point[1] == pytest.approx(-1.0)
    on_ground = plane.increments([-3.0, -5.0], plane.ground_line().point[1])
    assert np.all(on_ground.v_t == 0)
    assert plane.limit_inertia() == pytest.approx(0.5)
    np.testing.assert_allclose(plane.critical_point(0.5), (-plane.reach, -plane.height))  # the back foot


def test_impulse_through_G_puts_the_centre_at_infinity():
    plane = PercussionPlane(np.pi / 4)
    assert np.all(np.abs(np.array(plane.centre(1.0, -np.tan(np.pi / 4)))) > 1e15)


def test_bad_planes_are_refused_with_all_faults():
    with pytest.raises(ModelError, match=r"half angle is 1\.6 rad") as error:
        PercussionPlane(1.6, -1.0)
    assert len(error.value.faults) == 2
    for angle in (0.0, np.pi / 2, float("nan")):
        with pytest.raises(ModelError, match="between 0 and pi/2"):
            PercussionPlane(angle)
