"""The smooth contact table: Trundle's exact higher pair, the rigid search in the limit, its own derivative, the
Manchester contact benchmark, and kernels that read it.
"""

from contextlib import nullcontext
from math import atan, cos, sin

import casadi as ca
import numpy as np
import pytest

import trundle as tr
from trundle.errors import ModelError
from trundle.kernel import compile_kernels
from trundle.pairs.common_normal import Placed, nearest
from trundle.pairs.numeric import read_sweep
from trundle.rail import S1002, STEEL, ContactGeometry, ContactTable, Fastsim, Profile, Rail60E1, TableContact, hertz
from trundle.rail.wheel_rail import contact_table
from trundle.rail.wheel_rail.soft_contact import RailStrip, WheelStrip, sliding_minimum, soft_contact

SLOPE, ARC = 0.05, 0.3
CONE = ContactGeometry(Profile.cone(SLOPE), Profile.arc(ARC))
REAL = ContactGeometry(S1002(), Rail60E1())
SMALL = {"reach": 7.5e-3, "most_roll": 0.008, "roll_step": 0.001}


@pytest.fixture(scope="module")
def real() -> ContactTable:
    return ContactTable(REAL, **SMALL)


def test_computing_a_table_is_announced_and_loading_it_is_not(tmp_path, monkeypatch):
    said: list[str] = []
    monkeypatch.setenv("TRUNDLE_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(contact_table, "preparing", lambda what: said.append(what) or nullcontext())
    tables = [ContactTable(CONE, reach=2e-3, most_roll=2e-3, roll_step=1e-3) for _ in range(2)]
    assert np.array_equal(tables[0].values, tables[1].values)
    assert len(said) == 1 and said[0].startswith("the contact table of ")


def turn_x(a: float) -> np.ndarray:
    return np.array([[1, 0, 0], [0, cos(a), -sin(a)], [0, sin(a), cos(a)]])


def test_a_cone_on_an_arc_is_the_exact_higher_pair():
    """At random poses the wheelset is set down by the table's gap: exact surfaces touch at the point of the table."""
    table = ContactTable(CONE, reach=8e-3, most_roll=0.02)
    sharp = ContactTable(CONE, eps=5e-6, reach=8e-3, most_roll=0.02)  # a third of the usual length
    side = CONE.side("left")
    rest = CONE.contact(0.0)
    height = side.radius - SLOPE * float(rest.left.wheel_place) + float(rest.left.height)
    turned = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
    rail = Placed(read_sweep(tr.Cylinder(ARC).sweep(), ""), turned, np.array([0.0, side.rail_origin, -ARC]))
    rng = np.random.default_rng(1)
    for u, roll in zip(rng.uniform(-7e-3, 7e-3, 6), rng.uniform(-0.018, 0.018, 6), strict=True):
        found = table(u, roll)
        R = turn_x(roll)
        centre = np.array([0.0, u - CONE.radius * roll, height - found.gap])
        cone = tr.Cone(CONE.radius, -atan(SLOPE))
        wheel = Placed(read_sweep(cone.sweep().half_turn(), ""), R, centre + R @ np.array([0.0, side.tape_place, 0.0]))
        s, gap = nearest(rail, wheel)
        assert gap == pytest.approx(0.0, abs=1e-7)
        at = rail.at(s[:2])
        assert found.angle == pytest.approx(atan(-at.normal[1] / at.normal[2]), abs=1e-9)
        assert found.place + side.rail_origin == pytest.approx(at.point[1], abs=2e-6)
        other = sharp(u, roll)
        assert other.place + side.rail_origin == pytest.approx(at.point[1], abs=1e-6)
        limit = other.place - (found.place - other.place) / 2  # at eps = 0: what is off goes with eps
        assert limit + side.rail_origin == pytest.approx(at.point[1], abs=1e-7)
        assert other.gap == pytest.approx(found.gap, abs=1e-6) and other.radius == pytest.approx(found.radius, abs=1e-6)
        radius = np.linalg.norm((R.T @ (at.point - centre))[[0, 2]])
        assert found.radius == pytest.approx(radius, abs=1e-7)


def test_the_rigid_contact_as_eps_falls(real):
    """Away from jumps the differences go with eps."""
    y = np.array([-4e-3, -1.5e-3, 2e-3, 3e-3, 4.5e-3, 5.5e-3])
    rigid = REAL.contact(y)
    u = y + REAL.radius * rigid.roll
    worst = []
    for table in (real, ContactTable(REAL, eps=1e-6, **SMALL), ContactTable(REAL, eps=2e-7, **SMALL)):
        found = table(u, rigid.roll)
        worst.append(
            [np.max(np.abs(found.gap + rigid.lift)), np.max(np.abs(found.angle - rigid.left.angle)),
             np.max(np.abs(found.radius - rigid.left.radius)), np.max(np.abs(found.place - rigid.left.rail_place))]
        )  # fmt: skip
    coarse, fine, finest = np.array(worst)
    assert np.all(fine < 0.12 * coarse) and np.all(finest < 0.5 * fine)
    assert np.all(finest < [5e-7, 2e-4, 3e-6, 6e-5])
    rolling, lateral = rigid.left.rolling_curvature, rigid.left.wheel_curvature + rigid.left.rail_curvature
    exact = hertz(1.0, rolling, lateral, STEEL)
    assert ContactTable(REAL, eps=2e-7, **SMALL)(u, rigid.roll).stiffness == pytest.approx(exact.stiffness, rel=0.02)


def test_the_angle_is_the_derivative_of_the_gap(real):
    """Between the knots too, to the accuracy of the spline: a normal force along it conserves energy."""
    u, h = np.linspace(-7e-3, 7e-3, 997), 1e-6
    for roll in (-0.004, 0.0, 0.0033):
        slope = (real(u + h, roll).gap - real(u - h, roll).gap) / (2 * h)
        error = np.abs(slope + np.tan(real(u, roll).angle))
        assert np.max(error[np.abs(u) < 4e-3]) < 1e-5
        assert np.max(error[np.abs(u) < 6e-3]) < 2e-3
        assert np.max(error) < 0.25  # where it jumps to the flange, within less than a step of u


def test_manchester_benchmark_with_forces():
    """A-2.2 as computed by CONTACT: y 3 mm, yaw 7.2 mrad, FN 10.03 and 9.774 kN: contact angles 0.0923 and 0.0110,
    Fx 460.5 and -417.5 N, Fs 2974 and 2902 N; mu 0.3. The wheelset rolls freely: both wheels slip by half the
    difference of the radii.
    """
    y, yaw = 3e-3, 7.2e-3
    rigid = REAL.contact(y, yaw)
    sides = [ContactTable(REAL, side, **SMALL) for side in ("left", "right")]
    u = y + REAL.radius * rigid.roll
    found = [sides[0](u, rigid.roll), sides[1](-u, -rigid.roll)]
    assert [contact.angle for contact in found] == pytest.approx([0.0923, 0.0110], abs=0.0025)
    slip = (found[0].radius - found[1].radius) / (2 * REAL.radius)
    printed = ((10.03e3, 460.5, 2974.0), (9.774e3, -417.5, 2902.0))
    for contact, sign, (load, fx, fs) in zip(found, (1, -1), printed, strict=True):
        spin = -sign * np.sin(contact.angle) / contact.radius
        patch = contact.patch(load)
        force = Fastsim(0.3, 40, 40).force(-sign * slip, -yaw / np.cos(contact.angle), spin, load, patch)
        assert force.longitudinal == pytest.approx(fx, rel=0.15)
        # All slides: the longitudinal force tells the direction of slip, and by it the rolling radius to 0.07 mm.
        assert abs(force.longitudinal - fx) / fs * yaw * contact.radius < 7e-5
        assert force.lateral == pytest.approx(fs, rel=0.01)
    assert sides[0](0.0).angle == pytest.approx(0.0290, rel=0.2)  # between the angles of two competing points


@pytest.mark.parametrize("end", [480, 200])
def test_means_over_the_near_places_are_those_over_all(end):
    """Two humps over a bumpy rail, also where the wheel ends before the rail does."""
    rng = np.random.default_rng(5)
    places, rows = 400, 64
    y = np.linspace(-1, 1, places)
    rail = RailStrip(y, 80 * y**2 + rng.uniform(0, 3, places), rng.uniform(-1, 1, places))
    strip = 50 * np.sin(6 * np.linspace(-1, 1, places + rows)) + rng.uniform(0, 3, places + rows)
    strip[end:] = np.inf
    heights = np.array([strip[k : k + places] for k in range(rows)])[::-1]
    wheel = WheelStrip(heights, *rng.normal(size=(3, rows, places)))
    found = soft_contact(rail, wheel)
    w = np.exp(-(heights - rail.height))
    total = w.sum(axis=1)
    means = [np.sum(w * v, axis=1) / total for v in (wheel.slope, rail.place, wheel.radius, wheel.curvature + rail[2])]
    np.testing.assert_allclose(found, [-np.log(total), *means], rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("window", [1, 2, 3, 7, 8, 9])
def test_smallest_of_numbers_in_a_row(window):
    values = np.random.default_rng(6).normal(size=20)
    expected = [min(values[k : k + window]) for k in range(21 - window)]
    np.testing.assert_array_equal(sliding_minimum(values, window), expected)


def test_numbers_are_kept_under_their_digest(tmp_path, monkeypatch):
    monkeypatch.setenv("TRUNDLE_CACHE_DIR", str(tmp_path))
    small = {"reach": 1e-3, "most_roll": 0.004}
    first = ContactTable(CONE, **small)
    values = first.values
    monkeypatch.setattr(ContactTable, "compute", lambda self: pytest.fail("made again"))
    assert np.array_equal(ContactTable(ContactGeometry(Profile.cone(SLOPE), Profile.arc(ARC)), **small).values, values)
    others = [
        ContactTable(CONE, eps=1e-5, **small), ContactTable(CONE, reach=1e-3, most_roll=0.006),
        ContactTable(ContactGeometry(Profile.cone(0.0501), Profile.arc(ARC)), **small),
        ContactTable(ContactGeometry(Profile.cone(SLOPE), Profile.arc(ARC), gauge=1.436), **small),
    ]  # fmt: skip
    assert len({first.digest, *(t.digest for t in others)}) == 5


def test_a_kernel_reads_what_numpy_reads(real):
    """Table, patch and creep force in one compiled expression."""
    x, p = ca.SX.sym("x", 3), ca.SX.sym("p", 1)
    contact = TableContact(*ca.vertsplit(real.table.kind.value(p[0], [x[0], x[1]])))
    load = contact.stiffness * x[2] ** 1.5
    force = Fastsim(0.3, 5, 5).force(1e-3, -2e-3, 0.1, load, contact.patch(load))
    out = ca.densify(ca.vertcat(contact.gap, contact.angle, load, *force))
    kernel = compile_kernels({"f": ca.Function("f", [ca.SX.sym("t"), x, p], [out])})["f"]
    for u, roll, approach in ((1e-3, 1e-4, 6e-5), (-5e-3, 2e-3, 9e-5), (6.1e-3, 3e-3, 5e-5)):
        numbers = real(u, roll)
        load_here = float(numbers.stiffness * approach**1.5)
        same = Fastsim(0.3, 5, 5).force(1e-3, -2e-3, 0.1, load_here, numbers.patch(load_here))
        expected = [numbers.gap, numbers.angle, load_here, *same]
        found = kernel(0.0, [u, roll, approach], [real.table.block.handle])
        assert found == pytest.approx(np.array(expected, dtype=float), rel=1e-10, abs=1e-15)


@pytest.mark.parametrize(
    "wrong, said",
    [
        (lambda: ContactTable(CONE, eps=0.0), "eps is 0 m; it must lie between"),
        (lambda: ContactTable(CONE, step=-1.0), "step must be greater than zero"),
        (lambda: ContactTable(CONE, side="middle"), "side must be 'left' or 'right'"),
        (
            lambda: ContactTable(CONE, reach=1e-3, most_roll=0.004)(2e-3),
            "u is 0.002; the table ends at 0.001. Make it wider",
        ),
    ],
)
def test_what_is_refused(wrong, said):
    with pytest.raises(ModelError, match=said):
        wrong()
