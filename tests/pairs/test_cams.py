"""Cams with roller, flat and knife-edge followers: lift and acceleration by closed forms."""

import casadi as ca
import numpy as np
import pytest

import trundle as tr
from trundle import examples
from trundle.errors import ModelError

BASE, NOSE, APART, ROLLER, SPEED = 0.03, 0.012, 0.035, 0.01, 20.0
FLANK = 0.09  # m, radius of the flanks of the cam of arcs


def follower(cam, curve, servo=True, offset=0.0):
    """A cam that turns at a given rate and a follower that slides along z."""
    m = tr.Model("cam", gravity=(0, 0, 0))
    turning, sliding = m.body("cam", 1.0, 0.1), m.body("follower", 0.5, 0.01)
    m.connect(tr.Revolute("y"), m.ground, turning, law=tr.Servo(lambda t: SPEED * t) if servo else None)
    m.connect(tr.Prismatic("z"), m.ground.at(offset, 0, 0), sliding)
    at = sliding.frame(rotation=("y", np.pi)) if isinstance(curve, tr.Line) else sliding
    m.connect(tr.PlanarPair(cam, curve), turning, at, "touch")
    return m


def lifted(m, **options):
    run = m.build(**options).simulate(0.35, samples=701)
    assert np.max(np.abs(run.values("touch.gap"))) < 1e-12
    angle = np.mod(-run.values("cam.angle") + np.pi, 2 * np.pi) - np.pi  # of the follower, seen from the cam
    return np.abs(angle), run.values("follower.displacement"), run.values("follower.acceleration")[:, 2]


def tangent_cam(a):
    """Place and acceleration of the roller at an angle a from the nose, and where the pieces join."""
    start = np.arccos((BASE - NOSE) / APART)  # normal of the flank
    end = start - np.arctan(np.sqrt(APART**2 - (BASE - NOSE) ** 2) / (BASE + ROLLER))
    theta, R, L = start - a, BASE + ROLLER, NOSE + ROLLER
    S = np.sqrt(np.maximum(L**2 - APART**2 * np.sin(a) ** 2, 1e-12))
    nose = APART * np.cos(a) + S
    nose_2 = -APART * np.cos(a) - APART**2 * np.cos(2 * a) / S - APART**4 * np.sin(2 * a) ** 2 / (4 * S**3)
    flank, flank_2 = R / np.cos(theta), R * (2 - np.cos(theta) ** 2) / np.cos(theta) ** 3
    place = np.where(a > start, R, np.where(a > end, flank, nose))
    return place, SPEED**2 * np.where(a > start, 0, np.where(a > end, flank_2, nose_2)), start, end


@pytest.mark.parametrize("formalism", ["kane", "newton_euler"])
def test_tangent_cam_with_a_roller(formalism: str) -> None:
    """Lift of the roller on base circle, flanks and nose; its acceleration jumps by w^2 (r + R) onto the flank, and
    onto the nose to below zero.
    """
    a, place, acceleration = lifted(follower(tr.Cam.tangent(BASE, NOSE, APART), tr.Circle(ROLLER)), formalism=formalism)
    wanted, wanted_2, start, end = tangent_cam(a)
    assert np.max(np.abs(place - wanted)) < 1e-10
    away = (np.abs(a - start) > 1e-6) & (np.abs(a - end) > 1e-6)
    assert np.max(np.abs(acceleration - wanted_2)[away]) < 1e-6 * SPEED**2
    for joint, jump in ((start, BASE + ROLLER), (end, None)):
        before, after = acceleration[a > joint], acceleration[a < joint]
        found = after[np.argmax(a[a < joint])] - before[np.argmin(a[a > joint])]
        (closed,) = np.diff(tangent_cam(np.array([joint + 1e-9, joint - 1e-9]))[1])
        assert found == pytest.approx(closed, rel=0.05)
        if jump is not None:
            assert closed == pytest.approx(SPEED**2 * jump, rel=1e-6)


def arc_cam() -> tr.Cam:
    """Base and nose circle with flanks that touch both from inside."""
    d, e = FLANK - BASE, FLANK - NOSE  # distances of the middle of a flank from both
    z = (d**2 - e**2 + APART**2) / (2 * APART)
    x = np.sqrt(d**2 - z**2)
    return tr.Cam.of_arcs([((0, 0), BASE), ((x, z), FLANK), ((0, APART), NOSE), ((-x, z), FLANK)])


def test_cam_of_arcs_with_a_flat_follower() -> None:
    """Lift of the support of each arc: r + (R - r)(1 - cos theta) on the flanks, d cos a + r2 on the nose."""
    cam = arc_cam()
    starts = sorted(abs(angle) for angle, length in cam.shape.joints)
    assert all(length == 0 for _, length in cam.shape.joints)
    a, place, acceleration = lifted(follower(cam, tr.Line()))
    start, end = starts[-1], starts[0]
    theta = start - a
    flank = BASE + (FLANK - BASE) * (1 - np.cos(theta))
    wanted = np.where(a > start, BASE, np.where(a > end, flank, APART * np.cos(a) + NOSE))
    assert np.max(np.abs(place - wanted)) < 1e-12
    second = np.where(a > start, 0, np.where(a > end, (FLANK - BASE) * np.cos(theta), -APART * np.cos(a)))
    away = (np.abs(a - start) > 1e-6) & (np.abs(a - end) > 1e-6)
    assert np.max(np.abs(acceleration - SPEED**2 * second)[away]) < 1e-8 * SPEED**2


@pytest.mark.parametrize("curve", [tr.Vertex(), tr.Circle(0.012), tr.Line()], ids=repr)
def test_an_eccentric_circle_by_its_radius_is_a_circle(curve) -> None:
    """The radius over the angle of a circle beside the axis, against the pair of circles and lines; the follower runs
    beside the axis too.
    """
    r, e = 0.03, 0.008
    cam = tr.Cam(lambda a: e * tr.cos(a) + tr.sqrt(r**2 - (e * tr.sin(a)) ** 2))
    found = lifted(follower(cam, curve, offset=0.004))
    arcs = lifted(follower(tr.Cam.of_arcs([((0, e), r)]), curve, offset=0.004))
    angle = found[0]
    for one, other in zip(found[1:], arcs[1:], strict=True):
        assert np.allclose(one, other, atol=1e-9 * (1 + np.max(np.abs(one))))
    if isinstance(curve, tr.Line):
        assert np.allclose(found[1], r + e * np.cos(angle), atol=1e-12)


def test_work_of_the_drive_is_what_the_follower_gains() -> None:
    """Without a drive cam and follower exchange energy and lose none."""
    cam = tr.Cam(lambda a: 0.03 + 0.004 * tr.cos(a))
    run = follower(cam, tr.Circle(ROLLER), servo=False).build().simulate(1.0, {"cam.angle_rate": 10.0})
    assert run.ok
    assert run.energy.drift < 1e-9
    assert run.power.residual.relative < 1e-12


def test_profile_from_a_table() -> None:
    """The example of the gallery: the roller follows a table of radii, in its middle as on the cam."""
    model = examples.model("cam-and-follower")
    run = model.build().simulate(1.0)
    assert run.ok
    place = run.values("follower.displacement")
    assert np.min(place) == pytest.approx(0.04, abs=2e-5)
    assert np.max(place) == pytest.approx(0.0475, abs=1e-5)
    angle, table = run.values("cam.angle"), model.tables["radius"].table
    x, z = -place * np.sin(angle), place * np.cos(angle)  # middle of the roller on the cam
    phi = np.linspace(-np.pi, np.pi, 20_001)
    curve = table(phi) * np.array([np.sin(phi), np.cos(phi)])
    gaps = [np.min(np.hypot(curve[0] - a, curve[1] - b)) for a, b in zip(x[::50], z[::50], strict=True)]
    assert np.allclose(gaps, 0.01, atol=1e-8)


@pytest.mark.parametrize("cam", [tr.Cam.tangent(BASE, NOSE, APART), tr.Cam(lambda a: 0.03 + 0.004 * tr.cos(a))])
def test_a_follower_that_starts_on_the_axis_is_lifted_also_where_the_axis_is_rounded(cam: tr.Cam) -> None:
    """Its distance and normal there are those of exactly zero, which point along z; machines in other axes start there
    within round-off.
    """
    place = ca.SX.sym("place", 2)
    near = ca.Function("near", [place], [ca.vertcat(*cam.shape.near(place[0], place[1]))])
    exact = np.array(near([0.0, 0.0])).ravel()
    assert exact[1:] == pytest.approx([0.0, 1.0], abs=1e-12)
    for rounded in np.random.default_rng(1).normal(scale=1e-16, size=(20, 2)):
        assert np.array(near(rounded)).ravel() == pytest.approx(exact, abs=1e-3)
    for away in (1e-9, 0.02):  # there the direction of the place counts
        below = np.array(near([0.0, -away])).ravel()
        assert below[1:] == pytest.approx([0.0, -1.0], abs=1e-12)


def test_a_follower_leaves_the_cam_when_it_turns_too_fast() -> None:
    """k (z - rest) = m w^2 e at the top of an eccentric: slower it stays, faster it flies."""
    m = tr.Model("flies", gravity=(0, 0, 0))
    cam, body = m.body("cam", 1.0, 0.1), m.body("follower", 0.5, 0.01)
    speed = m.parameter("speed", 10.0)
    m.connect(tr.Revolute("y"), m.ground, cam, law=tr.Servo(lambda t: speed * t))
    m.connect(tr.Prismatic("z"), m.ground, body, law=tr.Spring(400.0))
    m.connect(tr.PlanarPair(tr.Cam(lambda a: 0.03), tr.Line()), cam.at(0, 0, -0.008), body.frame(rotation=("y", np.pi)),
              "touch", unilateral=True)  # fmt: skip
    m.start = {"follower.displacement": 0.022}
    limit = np.sqrt(400.0 * (0.03 + 0.008) / (0.5 * 0.008))
    system = m.build()
    for factor, parts in ((0.99, False), (1.05, True)):
        run = system.simulate(2 * np.pi / limit, parameters={"speed": factor * limit}, samples=801)
        assert bool(np.max(run.values("touch.gap")) > 1e-7) is parts


REFUSED = {
    "the cam is the first curve": lambda: tr.PlanarPair(tr.Circle(0.1), tr.Cam(lambda a: 0.1)),
    "does not follow a cam": lambda: tr.PlanarPair(tr.Cam(lambda a: 0.1), tr.Circle(0.1, inside=True)),
    "needs a convex cam": lambda: tr.PlanarPair(tr.Cam(lambda a: 0.03 + 0.02 * tr.cos(2 * a)), tr.Line()),
    "would strike": lambda: tr.PlanarPair(tr.Cam.tangent(BASE, NOSE, APART), tr.Line()),
    "finite and greater than zero": lambda: tr.Cam(np.inf),
    "same after a whole turn": lambda: tr.Cam(lambda a: 0.1 + 0.01 * a),
    "greater than zero everywhere": lambda: tr.Cam(lambda a: 0.01 + 0.02 * tr.cos(a)),
    "lies inside the other": lambda: tr.Cam.tangent(0.03, 0.01, 0.01),
    "in the order": lambda: tr.Cam.of_arcs([((0, 0), 1.0), ((2, 2), 1.0), ((-2, 2), 1.0)]),
    "radius greater than zero": lambda: tr.Cam.of_arcs([((0, 0), -1.0)]),
    "function of the angle": lambda: tr.Cam("round"),
}


@pytest.mark.parametrize("words", REFUSED)
def test_what_is_no_cam_is_refused(words: str) -> None:
    with pytest.raises(ModelError, match=words):
        REFUSED[words]()
