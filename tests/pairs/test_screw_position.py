"""The six numbers of two screws and a point, found again in any pose."""

from math import inf

import numpy as np
import pytest
from screw_pairs import Layout

import trundle as tr
from trundle.errors import ModelError
from trundle.pairs import screw_position
from trundle.space.rotation import axis_vector


def posed(layout: Layout, rng: np.random.Generator) -> tuple[tr.Screw, tr.Screw, np.ndarray]:
    """In a random pose, each axis given at any of its points."""
    Q = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    Q[:, 0] *= np.linalg.det(Q)
    t = 2 * rng.normal(size=3)
    *screws, point = layout.screws()
    moved = []
    for screw in screws:
        axis = axis_vector(screw.axis)
        moved.append(tr.Screw(Q @ axis, screw.pitch, tuple(Q @ (np.array(screw.at) + rng.normal() * axis) + t)))
    return moved[0], moved[1], Q @ point + t


def test_numbers_are_found_again() -> None:
    rng = np.random.default_rng(7)
    for k in range(60):
        alpha = rng.uniform(-1.5, 1.5)
        a = 0.0 if k % 4 == 0 else rng.uniform(0.1, 2.0)
        sizes = (rng.uniform(0.2, 1.0), rng.uniform(-1.0, 1.0), rng.uniform(-3, 3))
        layout = Layout(rng.normal(), rng.normal(), alpha, a, *sizes)
        found = screw_position(*posed(layout, rng))
        # Axes that meet have no distance along which their angle could be counted.
        assert (found.alpha if a else abs(found.alpha)) == pytest.approx(alpha if a else abs(alpha), abs=1e-11)
        wanted = (a, *sizes[:2], layout.p_1, layout.p_2)
        assert (found.a, found.r, found.s, found.p_1, found.p_2) == pytest.approx(wanted, abs=1e-11)
        first, second, point = posed(layout, rng)
        other = screw_position(first, second.reversed(), point)  # the second axis the other way round
        assert (other.a, other.r, other.s) == pytest.approx((a, sizes[0], -sizes[1]), abs=1e-11)


def test_the_condition_of_a_tangent_surface_in_these_numbers() -> None:
    """p_1 sin(alpha) + a cos(alpha) = 0: a slide along the tangents of the screw lines of the first."""
    sweep = tr.TangentSurface(1.0, 0.7, 2.0).numbers()
    first = tr.Screw(sweep.first.axis, sweep.first.advance, tuple(sweep.first.at))
    found = screw_position(first, tr.Screw(sweep.second.axis, inf, name="slide"), sweep.point)
    assert found.p_1 * np.sin(found.alpha) + found.a * np.cos(found.alpha) == pytest.approx(0.0, abs=1e-13)
    assert found.a == pytest.approx(1.0) and abs(found.p_1) == pytest.approx(0.7)


def test_parallel_axes_and_slides() -> None:
    same = screw_position(tr.Screw("z", 0.2, (1, 0, 0)), tr.Screw("z", inf, name="x"), (3.0, 0.0, 5.0))
    assert same == pytest.approx((2.0, 0.0, 0.0, 0.0, 0.2, inf))
    with pytest.raises(ModelError, match="three finite numbers"):
        screw_position(tr.Screw("z"), tr.Screw("x"), (1.0, 2.0))
