"""The pitch is the root of the closure that is continued from the upright pose."""

from itertools import pairwise

import numpy as np
import pytest

from trundle.bicycle import Geometry, pitch
from trundle.errors import AssemblyError

DEG = np.pi / 180


def residual(g, roll, steer, chi):
    """Closure residual, its slope and cos(front roll) by [Meijaard 2024, Eqs. 32, 33]; g: columns of geometries."""
    w, c, tilt, r_r, r_f, t_r, t_f = g
    u_r = (w + c) * np.cos(tilt) - r_r * np.sin(tilt)
    u_f = r_f * np.sin(tilt) - c * np.cos(tilt)
    d = (r_r - r_f) * np.cos(tilt) + w * np.sin(tilt)
    sp, cp, sb, cb, s, k = np.sin(roll), np.cos(roll), np.sin(steer), np.cos(steer), np.sin(chi), np.cos(chi)
    sine, sine_slope = sp * cb + cp * s * sb, cp * k * sb
    z = -t_r - (r_r - t_r) * cp - u_r * cp * s + d * cp * k + u_f * (sp * sb - cp * s * cb)
    z_slope = -u_r * cp * k - d * cp * s - u_f * cp * k * cb
    cosine, cosine_slope = -(z + t_f) / (r_f - t_f), -z_slope / (r_f - t_f)
    return sine**2 + cosine**2 - 1, 2 * (sine * sine_slope + cosine * cosine_slope), cosine


def walk(g, ways, steps):
    """Follow the root by Newton's method along corners (roll, steer); returns the last root and whether it was lost."""
    chi, alive = g[2].copy(), np.ones(g.shape[1], dtype=bool)
    for (roll_0, steer_0), (roll_1, steer_1) in pairwise(ways):
        # A root moves fast where it is about to end: steps shrink towards the pose.
        for share in 1 - np.linspace(1, 0, steps + 1)[1:] ** 3:
            roll, steer = roll_0 + share * (roll_1 - roll_0), steer_0 + share * (steer_1 - steer_0)
            new = chi.copy()
            for _ in range(3):
                value, slope, _ = residual(g, roll, steer, new)
                new -= np.clip(value / np.where(np.abs(slope) < 1e-9, 1e-9, slope), -0.1, 0.1)
            value, slope, cosine = residual(g, roll, steer, new)
            alive &= (np.abs(value) < 1e-9) & (slope > 1e-7) & (cosine > 0) & (np.abs(new - chi) < 0.1)
            chi = np.where(alive, new, chi)
    return chi, alive


def shipped(geometries, roll, steer):
    """Results of the package for rows of poses, one row for each geometry."""
    found = [pitch(one, a, b) for one, a, b in zip(geometries, roll, steer, strict=True)]
    return np.concatenate([f.pitch for f in found]), np.concatenate([f.touches for f in found])


def turns_apart(a, b):
    return np.abs(np.remainder(a - b + np.pi, 2 * np.pi) - np.pi)


def random_geometries(rng, n, wide):
    low = [0.3, -0.3, -0.6, 0.05, 0.05] if wide else [0.8, -0.05, 0.0, 0.2, 0.2]
    high = [2.0, 0.4, 1.2, 0.6, 0.6] if wide else [1.6, 0.15, 0.6, 0.4, 0.4]
    g = np.array([rng.uniform(a, b, n) for a, b in zip(low, high, strict=True)])
    return np.vstack([g, g[3:] * rng.uniform(0, 0.9, (2, n)) * (rng.random((2, n)) < 0.7)])


@pytest.mark.parametrize("wide", [False, True])
def test_the_pitch_is_the_one_continued_from_upright(wide):
    """Roll to 80 and steer to 170 degrees. If the straight path is blocked, it must be reached along another one."""
    rng = np.random.default_rng(21)
    columns, poses = random_geometries(rng, 60, wide), 40
    geometries = [Geometry(*column) for column in columns.T]
    roll, steer = rng.uniform(-80, 80, (60, poses)) * DEG, rng.uniform(-170, 170, (60, poses)) * DEG
    answer, touches = shipped(geometries, roll, steer)
    g, roll, steer, zero = np.repeat(columns, poses, axis=1), roll.ravel(), steer.ravel(), np.zeros(roll.size)
    straight, unbroken = walk(g, [(zero, zero), (roll, steer)], 250)
    assert unbroken.mean() > 0.8 and (~touches).sum() > 20
    assert 0.5 < np.mean([one.wheels_stay_clear for one in geometries]) < 1.0  # both kinds are tried
    assert touches[unbroken].all()
    assert turns_apart(answer, straight)[unbroken].max() < 1e-7
    cut = np.flatnonzero(~unbroken & touches)
    for corner in ((1, 1), (0, 1), (1, 0)):  # straight again in finer steps, steer first, roll first
        if cut.size == 0:
            break
        h, a, b, o = g[:, cut], roll[cut], steer[cut], zero[cut]
        way = [(o, o), (a, b)] if corner == (1, 1) else [(o, o), (corner[0] * a, corner[1] * b), (a, b)]
        chi, alive = walk(h, way, 1500)
        cut = cut[~alive | (turns_apart(chi, answer[cut]) > 1e-6)]
    assert cut.size == 0


def test_of_two_poses_that_stand_the_one_reached_straight_is_taken():
    """A fat rear tyre and a large roll: the closure has a fold within a fold."""
    g = Geometry(1.496, -0.145, 0.064, 0.499, 0.557, 0.452, 0.037)
    assert g.wheels_stay_clear
    roll, steer = 74.9 * DEG, 158 * DEG
    column = np.array([[v] for v in (1.496, -0.145, 0.064, 0.499, 0.557, 0.452, 0.037)])
    found = pitch(g, roll, steer)
    value, slope, cosine = residual(column, roll, steer, found.roots)
    assert np.abs(value).max() < 1e-13
    assert ((slope > 0) & (cosine > 0)).sum() == 2
    chi, alive = walk(column, [(np.zeros(1), np.zeros(1)), (np.array([roll]), np.array([steer]))], 1000)
    assert alive[0]
    assert found.pitch == pytest.approx(chi[0], abs=1e-9)
    assert found.physical.sum() == 1


def test_a_pose_that_stands_but_is_not_reached():
    """Wheels that would pass through one another: beyond, there are poses cut off from the upright one."""
    g = Geometry(0.945, -0.423, -0.042, 0.516, 0.231, 0.039, 0.199)
    assert not g.wheels_stay_clear
    roll, steer = 54 * DEG, -176 * DEG
    found = pitch(g, np.array([roll]), np.array([steer]))
    column = np.array([[v] for v in (0.945, -0.423, -0.042, 0.516, 0.231, 0.039, 0.199)])
    _, slope, cosine = residual(column, roll, steer, found.roots[0])
    assert ((slope > 0) & (cosine > 0)).sum() == 1
    assert not found.touches[0] and not found.physical.any() and np.isnan(found.pitch[0])
    with pytest.raises(AssemblyError, match="not reached from upright"):
        pitch(g, roll, steer)
