"""Where the front wheel stands: on the road, against the bicycle model, and the quartic of the paper."""

from dataclasses import replace

import numpy as np
import pytest

import trundle as tr
from trundle.bicycle import Geometry, loop_pitch, pitch
from trundle.errors import ModelError

BENCH = Geometry(1.02, 0.08, np.pi / 10, 0.3, 0.35)
TYRES = replace(BENCH, rear_tyre=0.02, front_tyre=0.015)


def test_upright_the_contact_is_a_wheelbase_ahead():
    front = pitch(TYRES, 0.0, 0.0).front
    assert (front.x, front.y, front.yaw, front.pitch) == pytest.approx((1.02, 0, 0, 0), abs=1e-14)


def test_the_wheel_touches_the_road_and_the_quartic_has_the_roots():
    roll, steer = np.random.default_rng(4).uniform(-1.0, 1.0, (2, 400))
    for geometry in (BENCH, TYRES):
        found = pitch(geometry, roll, steer)
        assert np.max(np.abs(found.front.height)) < 1e-14
        # The lean of the front wheel is told twice: by the closure, and by its heading with the steered axis.
        t = np.tan(found.roots / 2)
        powers = np.stack([t**4, t**3, t**2, t, t**0], axis=-1)
        value = np.einsum("nrk,nk->nr", powers, found.coefficients)
        assert np.nanmax(np.abs(value) / np.sum(np.abs(powers) * np.abs(found.coefficients)[:, None], axis=-1)) < 1e-13


def test_heading_and_lean_are_those_of_the_steered_axle():
    roll, steer = 0.2, 0.4
    found = pitch(BENCH, roll, steer)

    # Heading by finite rotation of the axes: z-down axes of the rolled, pitched frame, steered about the tilted axis.
    def turn(axis, angle):
        x, y, z = axis
        K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K

    frame = turn((1, 0, 0), roll) @ turn((0, 1, 0), found.pitch)  # steering axis along z of it
    axle = frame @ turn((0, 0, 1), steer) @ np.array([0, 1, 0])
    assert np.arctan2(-axle[0], axle[1]) == pytest.approx(found.front.yaw, abs=1e-14)
    assert np.arcsin(axle[2]) == pytest.approx(found.front_roll, abs=1e-13)


def test_yaw_and_place_of_the_rear_wheel_carry_the_front_wheel_along():
    loop = replace(TYRES.loop(), steering=tr.Screw((0.32, 0.02, 0.95), at=(1.1, 0.01, 0.3)))
    here = loop_pitch(loop, 0.2, 0.4, 0.1, -0.3).front
    there = loop_pitch(loop, 0.2, 0.4, 0.1, -0.3, yaw=0.7, x=2.0, y=-1.0).front
    c, s = np.cos(0.7), np.sin(0.7)
    assert (there.x, there.y) == pytest.approx((2 + c * here.x - s * here.y, -1 + s * here.x + c * here.y), abs=1e-13)
    assert there.yaw == pytest.approx(here.yaw + 0.7, abs=1e-13) and abs(here.height) < 1e-13
    assert there.pitch == pytest.approx(here.pitch, abs=1e-13)
    # Turning the front hub turns the wheel and nothing else.
    true = replace(loop, front_wheel=loop.front_hub)
    assert loop_pitch(true, 0.2, 0.4, 0.1, 0.5).front.pitch - loop_pitch(true, 0.2, 0.4, 0.1, 0.0).front.pitch == (
        pytest.approx(0.5, abs=1e-12)
    )


def test_two_roads_are_refused_and_a_wheel_in_the_air_has_no_place():
    loop = replace(BENCH.loop(), road_normal=(0.1, 0.0, 1.0))
    with pytest.raises(ModelError, match="one plane road"):
        _ = loop_pitch(loop, 0.0, 0.0).front
    many = pitch(BENCH, [0.1, 1.5], [0.2, 1.2])
    assert np.isfinite(many.front.x[0]) and (many.touches[1] or np.isnan(many.front.x[1]))
