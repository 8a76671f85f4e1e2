"""Motion of the track frame against differences of its rotation matrix, by complex steps in arithmetic of 18 digits."""

import casadi as ca
import numpy as np
import pytest

from trundle import rail
from trundle.rail.track.rows import CURVATURE
from trundle.rail.track.transition import transitions

R, L, H, B, V, A = 600.0, 100.0, 0.15, 0.75, 30.0, 0.7  # m, m, m, m, m/s, m/s^2
PI = np.longdouble("3.14159265358979323846264338")
PSI = np.arcsin(np.longdouble(H) / (2 * np.longdouble(B)))  # cant angle of the arc
FULL = np.longdouble(H) / (2 * np.longdouble(B))


def septic(x):
    return x**4 * (35 + x * (-84 + x * (70 - 20 * x)))


SHAPES = {  # f(x) of curvature and cant, typed once more
    "Clothoid": lambda x: x,
    "CubicParabola": lambda x: x,  # of its cant
    "Polynomial": lambda x: 6 * x**5 - 15 * x**4 + 10 * x**3,
    "Bloss": lambda x: 3 * x**2 - 2 * x**3,
    "Adjustable": lambda x: 3 * x**2 - 2 * x**3,
    "Cosine": lambda x: (1 - np.cos(PI * x)) / 2,
    "Sine": lambda x: x - np.sin(2 * PI * x) / (2 * PI),
    "Helmert": lambda x: 2 * x**2 if x.real < 0.5 else 1 - 2 * (1 - x) ** 2,
    "Vienna": septic,
}
INTEGRALS = {  # of the curvature from 0 to x, by hand
    "Clothoid": lambda x: x**2 / 2,
    "Polynomial": lambda x: x**6 - 3 * x**5 + 5 * x**4 / 2,
    "Bloss": lambda x: x**3 - x**4 / 2,
    "Adjustable": lambda x: x**3 - x**4 / 2,
    "Cosine": lambda x: (x - np.sin(PI * x) / PI) / 2,
    "Sine": lambda x: x**2 / 2 + (np.cos(2 * PI * x) - 1) / (4 * PI**2),
    "Helmert": lambda x: 2 * x**3 / 3 if x.real < 0.5 else x - 0.5 + 2 * (1 - x) ** 3 / 3,
    "Vienna": lambda x: (
        x**5 * (7 + x * (-14 + x * (10 - 2.5 * x))) - np.longdouble("1.8") * R * PSI * 140 * x**3 * (1 - x) ** 3 / L**2
    ),
}
OPTIONS = {"Polynomial": {"coefficients": (0, 0, 0, 10, -15, 6)}}


def curve(kind, **options):
    """Straight, transition to a left curve, arc: the line of the issue."""
    options = {**OPTIONS.get(kind.__name__, {}), **options}
    return rail.Alignment([rail.Straight(50), kind(length=L, radius=R, cant=H, **options), rail.Arc(R, 200, H)], B)


def rotation(heading, sine_of_cant, sine_of_slope=0.0):
    """Heading about z, slope about -y, cant about -x; analytic, so that complex steps go through it."""
    c, s = np.cos(heading), np.sin(heading)
    yaw = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    s, c = -sine_of_slope, np.sqrt(1 - sine_of_slope**2 + 0j)
    pitch = np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
    s, c = -sine_of_cant, np.sqrt(1 - sine_of_cant**2 + 0j)
    roll = np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
    return yaw @ pitch @ roll


def differences(turned, s, v, a):
    """w and eps in the axes of the frame, in arithmetic of 18 digits.

    The first derivative of the rotation matrix is a complex step, without any loss; the second one is a central
    difference of order 8.
    """
    h, step = np.longdouble("1e-25"), np.longdouble("0.02")

    def w(t):
        t = np.clongdouble(t + 1j * h)
        matrix = turned(s + v * t + a * t**2 / 2)
        spin = matrix.real.T @ (matrix.imag / h)
        return np.array([spin[2, 1], spin[0, 2], spin[1, 0]])

    weights = np.array([3, -32, 168, -672, 0, 672, -168, 32, -3], np.longdouble) / (840 * step)
    return w(np.longdouble(0)), weights @ np.array([w(i * step) for i in range(-4, 5)])


@pytest.mark.parametrize("kind", transitions(of_user=False), ids=lambda k: k.__name__)
def test_w_and_eps_are_differences_of_the_rotation_matrix(kind):
    line, name = curve(kind), kind.__name__
    series = line.rows[1, CURVATURE][:8].astype(np.longdouble)

    def turned(s):
        x = (s - 50) / L
        if name == "CubicParabola":  # its own polynomial; that it is the cubic is a test of its own
            heading = L * sum(c * x ** (i + 1) / (i + 1) for i, c in enumerate(series))
        else:
            heading = INTEGRALS[name](x) * L / R
        cant = np.sin(PSI * septic(x)) if name == "Vienna" else FULL * SHAPES[name](x)
        return rotation(heading, cant)

    for s in (61.0, 87.0, 128.5, 141.0):
        w, eps = differences(turned, s, V, A)
        found = line.motion(s, V, A)
        assert np.abs(found.w - w).max() < 1e-14
        assert np.abs(found.eps - eps).max() < 1e-12
        assert np.abs(found.rotation - turned(np.clongdouble(s)).real).max() < 1e-14
        assert np.abs(eps).max() > 1e-2


def test_gradient_curve_and_cant_together():
    """An S-curve on a vertical curve: all three angles change at once."""
    profile = [rail.Grade(60, 0.02), rail.VerticalCurve(200, -0.03, shape="bloss")]
    plan = [rail.Arc(400, 50, 0.1), rail.Sine(150, -300, 0.08), rail.Arc(-300, 100, 0.08)]
    line = rail.Alignment(plan, profile=profile)
    g0, g1 = (np.longdouble(g) / np.sqrt(1 + np.longdouble(g) ** 2) for g in (0.02, -0.03))
    k0, k1 = 1 / np.longdouble(400), -1 / np.longdouble(300)

    def turned(s):
        x, t = (s - 50) / 150, (s - 60) / 200
        heading = 50 * k0 + 150 * (k0 * x + (k1 - k0) * INTEGRALS["Sine"](x))
        cant = (np.longdouble(0.1) - np.longdouble(0.18) * SHAPES["Sine"](x)) / np.longdouble(1.5)
        return rotation(heading, cant, g0 + (g1 - g0) * SHAPES["Bloss"](t))

    for s in (77.0, 130.0, 187.0):
        w, eps = differences(turned, s, 25.0, -1.5)
        found = line.motion(s, 25.0, -1.5)
        assert np.abs(found.w - w).max() < 1e-14 and np.abs(found.eps - eps).max() < 1e-12
        assert np.abs(found.rotation - turned(np.clongdouble(s)).real).max() < 1e-14


@pytest.mark.parametrize("kind", transitions(of_user=False), ids=lambda k: k.__name__)
def test_velocity_and_acceleration_are_those_of_the_position(kind):
    line = curve(kind)
    s0, h = 110.0, 0.05
    t = h * np.arange(-4, 5)
    p = line.position(s0 + 20.0 * t + 0.25 * t**2)
    weights = np.array([3, -32, 168, -672, 0, 672, -168, 32, -3]) / (840 * h)
    second = np.array([-9, 128, -1008, 8064, -14350, 8064, -1008, 128, -9]) / (5040 * h**2)
    found = line.motion(s0, 20.0, 0.5)
    assert found.rotation @ found.v == pytest.approx(weights @ p, abs=1e-11)
    assert found.rotation @ found.a == pytest.approx(second @ p, abs=1e-8)


@pytest.mark.parametrize("kind", transitions(of_user=False), ids=lambda k: k.__name__)
def test_tape_and_arrays_agree(kind):
    line = curve(kind)
    s, v, a = ca.SX.sym("s"), ca.SX.sym("v"), ca.SX.sym("a")
    row = int(line.row_at(130.0))
    m = line.motion(s, v, a, row=row)
    f = ca.Function("f", [s, v, a], [m.position, m.rotation, m.w, m.eps, m.v, m.a, ca.jacobian(m.position, s)])
    *parts, tangent = (np.squeeze(np.array(o)) for o in f(127.3, 31.0, -0.4))
    n = line.motion(127.3, 31.0, -0.4)
    for one, other in zip(parts, (n.position, n.rotation, n.w, n.eps, n.v, n.a), strict=True):
        assert one == pytest.approx(other, abs=1e-12)
    assert tangent == pytest.approx(n.rotation[:, 0], abs=1e-12)  # exact derivative of the quadrature


def test_shapes_of_arrays():
    line = curve(rail.Sine)
    s = np.linspace(0, 350, 12).reshape(3, 4)
    many = line.motion(s, 30.0, 0.1)
    assert many.position.shape == many.w.shape == many.a.shape == (3, 4, 3) and many.rotation.shape == (3, 4, 3, 3)
    one = line.motion(s[1, 2], 30.0, 0.1)
    for name in ("position", "rotation", "w", "eps", "v", "a"):
        assert getattr(many, name)[1, 2] == pytest.approx(getattr(one, name), abs=1e-12)
    speeds = line.motion(80.0, np.array([10.0, 20.0]))
    assert speeds.w[1] == pytest.approx(2 * speeds.w[0]) and speeds.eps[1] == pytest.approx(4 * speeds.eps[0])


def test_small_angles_are_close_on_the_track_of_the_paper():
    """Centre line raised by half the cant; errors of the corrected form are of third order in the angles."""
    line = rail.Alignment([rail.Straight(50), rail.Sine(100, 600, 0.15), rail.Arc(600, 200, 0.15)], pivot="low rail")
    s = np.linspace(0.5, 349.5, 700)
    exact, small = line.motion(s, 30.0, 0.5), line.small_angles(s, 30.0, 0.5)
    assert small.error_w == pytest.approx(small.w - exact.w, abs=0)
    # w_x lacks the turn of the heading about the raised tangent, v k sin(slope): at most 30 / 600 * 0.0015 rad/s.
    at = line.local(s)
    assert small.error_w[:, 0] == pytest.approx(-30.0 * at.k * at.sin_g, abs=1e-15)
    assert 1e-5 < np.abs(small.error_w[:, 0]).max() < 30 / 600 * 0.0015
    assert np.abs(small.error_w[:, 1:]).max() < 2e-9 and np.abs(small.error_eps).max() < 1e-4
    assert np.abs(small.error_a).max() < 1e-6


def test_small_angles_are_exact_on_a_level_centre_line():
    line = curve(rail.Bloss)
    small = line.small_angles(np.linspace(0, 350, 400), 30.0, -0.5)
    assert max(np.abs(e).max() for e in (small.error_w, small.error_eps, small.error_a)) < 1e-15


def test_the_printed_form_has_the_errors_that_are_known():
    line = curve(rail.Sine)
    s = np.array([100.0, 250.0])
    exact, printed = line.motion(s, 30.0), line.small_angles(s, 30.0, as_printed=True)
    assert printed.w[0, 0] == pytest.approx(-exact.w[0, 0]) and exact.w[0, 0] < -0.05  # roll of the wrong sign
    assert printed.a[1] == pytest.approx([0, 0, 0], abs=1e-15)  # without v^2 / R
    assert np.hypot(*exact.a[1, 1:]) == pytest.approx(30.0**2 / 600)
