"""Arguments of surfaces that are not numbers are refused."""

import pytest

import trundle as tr
from trundle.errors import ModelError

BALL = tr.Sphere(0.4)


@pytest.mark.parametrize("point", ["abc", None, [1j, 0, 0], [[0, 0, 1], [0, 1]]])
def test_an_invalid_point(point):
    with pytest.raises(ModelError, match=r"Sphere\.closest: the point must be"):
        BALL.closest(point)


@pytest.mark.parametrize("distance", ["a", None, 1j, True, [0.1], float("nan")])
def test_an_invalid_offset(distance):
    with pytest.raises(ModelError, match="Sphere: an offset must be a finite number of metres"):
        BALL.offset(distance)


@pytest.mark.parametrize("question", [BALL.point, BALL.tangents, BALL.normal, BALL.curvatures])
def test_invalid_coordinates(question):
    with pytest.raises(ModelError, match="Sphere pitch must be a real number"):
        question("a", 0.0)
    with pytest.raises(ModelError, match=r"Sphere pitch \(2,\), Sphere roll \(3,\)"):
        question([0, 1], [0, 1, 2])
