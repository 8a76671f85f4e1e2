"""A wheelset of cones on arcs: the force of the contact table against exact higher pairs with the same creep law."""

from dataclasses import dataclass, replace
from math import atan, pi
from typing import Any

import casadi as ca
import numpy as np
import pytest

import trundle as tr
from trundle import rail
from trundle.model.body import as_frame
from trundle.model.force import Force, Terms
from trundle.space.rotation import cross, dot

MASS, INERTIA, RADIUS, SLOPE, HEAD, SPEED = 1813.0, (1120, 112, 1120), 0.46, 0.05, 0.3, 10.0
GEOMETRY = rail.ContactGeometry(rail.Profile.cone(SLOPE), rail.Profile.arc(HEAD), radius=RADIUS)
CONTACT = rail.Contact(GEOMETRY, rail.ShenHedrickElkins(0.4))
MIDDLE = CONTACT.tables["left"](0.0, 0.0)
STIFFNESS = float(MIDDLE.stiffness)


@dataclass(frozen=True, eq=False)
class CreepOnPair(Force):
    """Creep at the wheel's point of an exact contact; the patch is that of the middle position."""

    wheel: Any
    contact: str

    @property
    def element(self):
        return "R"

    @property
    def places(self):
        return (as_frame(self.wheel),)

    def terms(self, s):
        wheel = as_frame(self.wheel)
        normal, gap = s[f"{self.contact}.contact_normal"], s[f"{self.contact}.gap"]
        arm = s[f"{self.contact}.contact_point"] + gap * normal - s.position(wheel)  # the pair's point is the rail's
        v, w = s.velocity(wheel) + cross(s.angular_velocity(wheel), arm), s.angular_velocity(wheel)
        deep = ca.fmax(-gap, 0)
        load = STIFFNESS * deep * ca.sqrt(deep + 1e-20)
        pace = ca.sqrt((s["axle.x_rate"] + s["speed"]) ** 2 + 0.01**2)
        along = ca.SX([1, 0, 0])
        across = cross(normal, along)
        slips = dot(along, v) / pace, dot(across, v) / pace, dot(normal, w) / pace
        found = CONTACT.creep.force(*slips, load, MIDDLE.patch(load, CONTACT.material), speed=pace)
        F, M = found.longitudinal * along + found.lateral * across, found.spin_moment * normal
        return Terms(wrenches=[(wheel, F, cross(arm, F) + M)], dissipated=-dot(F, v) - dot(M, w))


def model(name):
    m = tr.Model(name)
    speed = m.parameter("speed", SPEED, "m/s")
    return m, m.moving_frame("track", position=lambda s: (speed * s.t, 0, 0))


@pytest.fixture(scope="module")
def by_table():
    m, track = model("contact table")
    rail.Wheelset(MASS, INERTIA, CONTACT).add(m, "axle", track)
    for side in ("left", "right"):  # the pair's normal has no damping either
        m.forces[f"axle_{side}"] = replace(m.forces[f"axle_{side}"], damping=0.0)
    return m.build()


@pytest.fixture(scope="module")
def exact():
    m, track = model("exact pairs")
    hub, axle = m.body("hub", mass=0.0, inertia=0.0), m.body("axle_body", mass=MASS, inertia=INERTIA)
    free, side = tr.Open(), GEOMETRY.side("left")
    m.connect(tr.Connection(free, free, free, free, tr.Locked(), free), track, hub, name="axle")
    m.connect(tr.Revolute("y"), hub, axle, name="axle_spin")
    for out, name in ((1.0, "left"), (-1.0, "right")):
        head = m.ground.frame((0, out * side.rail_origin, -HEAD), ("z", pi / 2))
        cone = tr.HigherPair(tr.Cylinder(HEAD), tr.Cone(RADIUS, -out * atan(SLOPE)))
        press = {"normal": tr.Hertz(STIFFNESS)}
        m.connect(cone, head, hub.at(0, out * side.tape_place, 0), name, compliance=press)
        m.apply(CreepOnPair(axle, name), name=f"creep_{name}")
    return m.build()


@pytest.mark.parametrize(("yaw", "spin"), [(0.0, 1.0), (2e-3, 1.01)], ids=["rolling", "sliding"])
def test_cones_on_the_table_are_the_exact_higher_pair(by_table, exact, yaw, spin):
    """Over 10 m from 3 mm aside; sliding, the wheels first spin too fast and the friction is near its limit."""
    rest = GEOMETRY.contact(0.0)
    height = RADIUS - SLOPE * float(rest.left.wheel_place) + float(rest.left.height)  # where exact cones touch
    found, part = GEOMETRY.contact(3e-3), rail.Wheelset(MASS, INERTIA, CONTACT)
    start = part.start("axle", SPEED, 0.0)
    start |= {"axle.y": 3e-3, "axle.rx": float(found.roll), "axle.z": start["axle.z"] + float(found.lift)}
    start |= {"axle.rz": yaw, "axle_spin.angle_rate": spin * SPEED / RADIUS}
    options = {"method": "order8", "rtol": 1e-9, "samples": 201}
    run = by_table.simulate(10.0 / SPEED, start=start, **options)
    other = exact.simulate(10.0 / SPEED, start={**start, "axle.z": start["axle.z"] + height - RADIUS}, **options)
    assert run.ok and other.ok and run.energy.drift < 1e-12 and other.energy.drift < 1e-12
    for name in ("axle.x", "axle.y", "axle.rz", "axle.rx", "axle_spin.angle"):
        assert run.values(name) == pytest.approx(other.values(name), abs=1e-6), name
    assert run.values("axle.z") + height - RADIUS == pytest.approx(other.values("axle.z"), abs=2e-8)
    assert np.ptp(run.values("axle.y")) > 5e-3 and np.ptp(run.values("axle.rz")) > 2e-3
    for side in ("left", "right"):
        assert run.values(f"axle_{side}.normal_force") == pytest.approx(other.values(f"{side}.normal_force"), rel=1e-3)
    used = run.values("axle_left.longitudinal_creep_force") / run.values("axle_left.normal_force")
    assert (np.max(np.abs(used)) > 0.39) == (spin > 1.0)
