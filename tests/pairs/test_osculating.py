"""Surfaces replaced by those with the same curvatures: the error falls with the third power of the excursion, with the
fourth where the surface is symmetric."""

import numpy as np
import pytest

import trundle as tr
from trundle.errors import ModelError
from trundle.pairs import osculating

EGG = tr.Ellipsoid(0.5, 0.3, 0.2)
WAISTED = tr.Revolved(lambda y: 0.3 + 2 * y**2 + 1.5 * y**3, -0.2, 0.2)  # a saddle
HOLLOW = tr.Revolved(lambda y: 0.9 - 3 * y**2, -0.3, 0.3, inside=True)  # a bowl
CASES = {
    "egg": (EGG, 0.4, 0.5, tr.Torus, 3),
    "waist": (WAISTED, 0.3, 0.05, tr.Torus, 3),
    "bowl": (HOLLOW, 0.2, 0.05, tr.Torus, 3),
    "waist in the middle": (tr.Revolved(lambda y: 0.3 + 2 * y**2, -0.2, 0.2), 0.0, 0.0, tr.Torus, 4),
    "ball": (tr.Ellipsoid(0.3, 0.3, 0.3), 0.4, 0.5, tr.Sphere, None),
    "pipe": (tr.Cylinder(0.2, inside=True), 0.4, 0.1, tr.Cylinder, None),
    "tyre": (tr.Torus(0.5, 0.1), 0.3, 0.2, tr.Torus, 3),
    "table": (tr.Plane(), 0.3, 0.2, tr.Plane, None),
}


@pytest.mark.parametrize("name", CASES)
def test_same_curvatures_and_the_order_of_the_error(name: str) -> None:
    surface, a, b, kind, order = CASES[name]
    found = osculating(surface, a, b)
    assert isinstance(found.surface, kind)
    k, _ = surface.curvatures(a, b)
    assert np.allclose(found.curvatures, k)
    reach = 0.02
    errors = [found.error(reach / 2**i) for i in range(3)]
    if order is None:
        assert max(errors) < 1e-14
    else:
        fitted = np.log2(np.array(errors[:-1]) / errors[1:])
        assert np.allclose(fitted, order, atol=0.15)


def test_principal_directions_and_point_are_those_of_the_original() -> None:
    for surface, a, b, _, _ in CASES.values():
        found = osculating(surface, a, b)
        p, n = surface.point(a, b), surface.normal(a, b)
        k, directions = surface.curvatures(a, b)
        place = np.array(found.pose.R).T @ (p - np.array([float(v) for v in found.pose.p.elements()]))
        at = found.surface.closest(place)
        assert abs(at[2]) < 1e-9
        own_k, own = found.surface.curvatures(at[0], at[1])
        assert np.allclose(own_k, k, atol=1e-6)
        assert np.allclose(found.pose.R @ found.surface.normal(at[0], at[1]), n, atol=1e-6)
        if abs(k[0] - k[1]) > 1e-6:
            assert abs(abs(found.pose.R @ own[0] @ directions[0]) - 1) < 1e-6


def test_what_has_no_curvatures_is_refused() -> None:
    with pytest.raises(ModelError, match="no curvature"):
        osculating(tr.CircleEdge(0.3), 0.0, 0.0)
    with pytest.raises(ModelError, match="more than twice"):
        osculating(tr.Ellipsoid(0.5, 0.45, 0.5, inside=True), 0.0, 0.0)
