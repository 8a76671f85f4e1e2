"""Data of bicycles and poses that are not valid are refused with a message."""

import warnings
from math import pi

import numpy as np
import pytest

from trundle.bicycle import Geometry, loop_pitch, pitch
from trundle.errors import AssemblyError, ModelError

BICYCLE = Geometry(1.02, 0.08, pi / 10, 0.3, 0.35)


@pytest.mark.parametrize(
    ("roll", "steer", "told"),
    [
        ([0.1, 0.2], [0.1, 0.2, 0.3], r"different shapes cannot be combined: roll \(2,\), steer \(3,\)"),
        ("a", 0, "roll must be a real number .* got 'a'"),
        (1j, 0, "roll must be a real number .* got 1j"),
        (0, None, "steer must be a real number"),
        (0, np.inf, "needs finite numbers, got steer inf"),
    ],
)
def test_an_invalid_pose(roll, steer, told):
    with pytest.raises(ModelError, match=told):
        pitch(BICYCLE, roll, steer)
    with pytest.raises(ModelError, match=told):
        loop_pitch(BICYCLE.loop(), roll, steer)


def test_an_invalid_bicycle():
    with pytest.raises(ModelError, match=r"pitch takes a Geometry .* got \(1, 2, 3\)"):
        pitch((1, 2, 3), 0, 0)
    with pytest.raises(ModelError, match="A Loop goes to loop_pitch"):
        pitch(BICYCLE.loop(), 0, 0)
    with pytest.raises(ModelError, match="loop_pitch takes a Loop"):
        loop_pitch(BICYCLE, 0, 0)


def test_an_infinite_angle_among_others_is_nan_without_a_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = pitch(BICYCLE, [0.1, np.inf], 0.0)
    assert found.touches.tolist() == [True, False] and np.isnan(found.pitch[1])
    assert found.pitch[0] == pytest.approx(pi / 10, abs=1e-12)


@pytest.mark.parametrize("roll", [pi / 2, -pi / 2, pi / 2 - 1e-10])
def test_a_roll_of_a_right_angle_lays_the_rear_wheel_on_its_side(roll):
    with pytest.raises(AssemblyError, match="the rear wheel itself lies on its side"):
        pitch(BICYCLE, roll, 0)
    assert not pitch(BICYCLE, [roll], 0).touches[0]
