"""Contact ellipses against CONTACT, closed forms and the integrals themselves; Kalker's table and its asymptotes."""

import warnings
from math import pi

import numpy as np
import pytest
from scipy.integrate import quad

from trundle.errors import ModelError
from trundle.rail import STEEL, Elastic, KalkerWarning, Patch, hertz, hertz_of_axes, kalker


def test_contact_s_example_of_given_axes():
    """CONTACT rev. 2707, a 8 mm, b 4 mm, 82 kN: approach 0.09266 mm, largest pressure 1223 MPa."""
    ellipse, (kx, ky) = hertz_of_axes(82e3, 8e-3, 4e-3)
    assert ellipse.approach == pytest.approx(0.09266e-3, rel=2e-4)
    assert ellipse.pressure == pytest.approx(1223e6, rel=5e-4)
    again = hertz(82e3, kx, ky)
    assert again == pytest.approx(ellipse, rel=1e-12)


def test_a_sphere_has_its_closed_form():
    """[Johnson 1985, Eq. 4.22 to 4.24]"""
    E, R, N = STEEL.contact_modulus, 0.3, 5e4
    ellipse = hertz(N, 1 / R, 1 / R)
    a = (3 * N * R / (4 * E)) ** (1 / 3)
    assert (ellipse.a, ellipse.b) == pytest.approx((a, a), rel=1e-13)
    assert ellipse.approach == pytest.approx(a**2 / R, rel=1e-13)
    assert ellipse.stiffness == pytest.approx(4 / 3 * E * np.sqrt(R), rel=1e-13)


@pytest.mark.parametrize("ratio", [1e-4, 0.02, 0.9, 1.1, 7.0, 3e4])
def test_curvatures_are_those_of_the_pressure(ratio):
    """Displacement under Hertz's pressure: the potential of an ellipse, integrated here by quadrature."""
    kx, N, E = 2.0, 8e4, STEEL.contact_modulus
    found = hertz(N, kx, ratio * kx)
    p0 = 3 * N / (2 * pi * found.a * found.b)

    def integral(power_a: float, power_b: float) -> float:
        # z = t^2 / (1 - t)^2 in units of a b
        a2, b2 = found.a / found.b, found.b / found.a

        def f(t: float) -> float:
            z, dz = t * t / (1 - t) ** 2, 2 * t / (1 - t) ** 3
            return dz / (np.sqrt(z) * (a2 + z) ** power_a * (b2 + z) ** power_b)

        return quad(f, 0, 1, limit=400, epsrel=1e-10)[0]

    c2 = found.a * found.b
    scale = p0 / (2 * E) * c2
    assert scale * integral(1.5, 0.5) * c2**-1.5 == pytest.approx(kx / 2, rel=1e-7)
    assert scale * integral(0.5, 1.5) * c2**-1.5 == pytest.approx(ratio * kx / 2, rel=1e-7)
    assert scale * integral(0.5, 0.5) * c2**-0.5 == pytest.approx(found.approach, rel=1e-7)
    assert found.stiffness * found.approach**1.5 == pytest.approx(N, rel=1e-12)


def test_arrays_and_open_contacts():
    found = hertz(np.array([0.0, 1e4, 8e4]), 1 / 0.46, np.array([[3.0], [5.0]]))
    assert found.a.shape == (2, 3) and np.all(found.a[:, 0] == 0) and np.all(found.pressure[:, 0] == 0)
    assert found.a[:, 2] / found.a[:, 1] == pytest.approx(2.0, rel=1e-13)  # goes with the third root of the load
    assert np.all(found.stiffness[:, 0] == found.stiffness[:, 2])


def test_kalker_s_table_at_its_points():
    for nu, column in (
        (0.0, (3.40, 3.40, 1.33, 1.21)),
        (0.25, (4.12, 3.67, 1.47, 1.19)),
        (0.5, (5.20, 3.98, 1.63, 1.16)),
    ):
        assert kalker(1.0, nu) == pytest.approx(column, rel=1e-12)
    assert kalker(0.3, 0.25) == pytest.approx((3.44, 2.75, 0.715, 2.96), rel=1e-12)
    assert kalker(5.0, 0.5) == pytest.approx((8.82, 9.79, 7.89, 0.341), rel=1e-12)


def test_between_the_points_nothing_bends():
    """The coefficients go monotonically with a/b, as those of the table do, and steel lies between its neighbours."""
    found = np.array(kalker(np.geomspace(0.1, 10, 500)))
    assert np.all(np.diff(found[:3]) > 0) and np.all(np.diff(found[3]) < 0)
    low, high = np.array(kalker(np.geomspace(0.1, 10, 50), 0.25)), np.array(kalker(np.geomspace(0.1, 10, 50), 0.5))
    steel = np.array(kalker(np.geomspace(0.1, 10, 50)))
    assert np.all((steel - low) * (steel - high) < 0)


def test_beyond_the_table_the_asymptotes_with_a_note():
    with pytest.warns(KalkerWarning, match=r"a/b = 0\.01 .*outside"):
        wide = kalker([1.0, 0.01], 0.25)
    assert wide.C11[1] == pytest.approx(pi**2 / 3, rel=0.01)
    assert wide.C22[1] == pytest.approx(pi**2 / 4, rel=0.01)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        inside = np.array(kalker([0.1, 10.0]))
        outside = np.array(kalker([0.1 - 1e-9, 10.0 + 1e-7], quiet=True))
    assert outside == pytest.approx(inside, rel=1e-6)


@pytest.mark.parametrize(
    "wrong, said",
    [
        (lambda: hertz(-1.0, 2.0, 3.0), "load is -1 N; .*do not pull"),
        (lambda: hertz([5.0, 6.0], 2.0, [3.0, -0.1]), "lateral_curvature is -0.1 at index 1 1/m.*hollow wheel"),
        (lambda: hertz(1e4, float("nan"), 3.0), "rolling_curvature is nan"),
        (lambda: hertz_of_axes(1e4, 0.0, 3e-3), "a is 0 m"),
        (lambda: Patch.ellipse(5e-3, -3e-3), "b is -0.003 m"),
        (lambda: kalker(-1.0), "a_over_b is -1"),
        (lambda: Elastic(82.0), "softer than any rubber.*82e9"),
        (lambda: Elastic(82e9, 0.7), "poisson must lie between 0 and 0.5"),
    ],
)
def test_what_is_refused(wrong, said):
    with pytest.raises(ModelError, match=said):
        wrong()
