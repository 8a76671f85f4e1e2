"""Profiles: their definitions, known points, points of the user, and what is refused."""

from math import sqrt

import numpy as np
import pytest

from trundle.errors import FileError, ModelError
from trundle.rail import S1002, ContactGeometry, Profile, Rail60E1

WHEEL, RAIL = S1002(), Rail60E1()


def joints(profile: Profile) -> list[float]:
    return [p.start for p in profile.pieces[1:]]


def test_s1002_is_continuous_to_the_digits_of_its_definition():
    """The printed polynomials C and D join to 0.12 um; slopes to 8e-6."""
    for s in joints(WHEEL):
        below, above = s - 1e-12, s + 1e-12
        assert WHEEL.height(above) == pytest.approx(WHEEL.height(below), abs=1.3e-7)
        assert WHEEL.slope(above) == pytest.approx(WHEEL.slope(below), abs=1e-5)


def test_known_points_of_s1002():
    """EN 13715: flange 28 mm high, its angle 70 degrees, 1 : 15 at the field side; running circle as origin."""
    assert WHEEL.height(0.0) == 0.0
    assert np.min(WHEEL.height(np.linspace(-0.07, 0.06, 20001))) == pytest.approx(-0.028, abs=1e-6)
    assert WHEEL.slope(-0.039) == pytest.approx(np.tan(np.radians(70.0)), rel=2e-6)
    assert WHEEL.slope(0.05) == pytest.approx(1 / 15, rel=1e-6)
    assert np.isnan(WHEEL.height(0.0601)) and np.isnan(WHEEL.height(-0.0701))


@pytest.mark.parametrize("outer", [0.012, 0.04])
def test_a_rail_whose_inner_side_ends_above_the_gauge_is_refused(outer):
    """Of a rail whose points ended 10 mm below the top the gauge was measured at another place: a conicity of 0.41 or
    0.21 in place of 0.18."""
    new = Rail60E1(1 / 40)
    s = np.linspace(new.start, new.end, 3001)
    z = new.height(s)
    kept = z >= -np.where(s < s[np.argmax(z)], 0.010, outer)
    cut = Profile.from_points(s[kept], z[kept], "rail", name="cut")
    assert cut.gauge_face() == cut.start
    with pytest.raises(ModelError, match=r"rail 'cut' ends 9.98 mm below its top.*gauge_depth of at most 0.00998"):
        ContactGeometry(WHEEL, cut)
    there = new.gauge_face(0.0099) - new.gauge_face()
    shallow = ContactGeometry(WHEEL, cut, gauge=1.435 + 2 * there, gauge_depth=0.0099)
    assert shallow.conicity(3e-3) == pytest.approx(ContactGeometry(WHEEL, new).conicity(3e-3), rel=1e-3)


def test_a_wheel_that_is_measured_from_another_place_is_refused():
    """From its flange back, or from the tip of its flange: its radius was 28 mm smaller."""
    s = np.linspace(WHEEL.start, WHEEL.end, 2001)
    z = WHEEL.height(s)
    for places, heights, words in (
        (s + 0.07, z, "has no point there|mm high there|slope"),
        (s, z + 0.028, "is 28 mm high there"),
        (s + 0.2, z, "has no point there"),
    ):
        with pytest.raises(ModelError, match=rf"s = 0 of the wheel 'moved' must be its running circle.*({words})"):
            ContactGeometry(Profile.from_points(places, heights, "wheel", name="moved"), Rail60E1())
    worn = ContactGeometry(WHEEL.worn(lambda s: 4e-3 + 0 * s), Rail60E1())
    assert worn.contact(0.0).left.radius == pytest.approx(0.456, abs=2e-4)


@pytest.mark.parametrize("between", [";", "\t", "  ", "; "])
def test_decimal_commas_of_a_profile_are_read(tmp_path, between):
    """They were taken for separators, so that all heights were 0."""
    s = np.arange(-35.0, 36.5, 0.5)
    lines = [f"{a:.3f}{between}{1e3 * b:.3f}" for a, b in zip(s, RAIL.height(1e-3 * s), strict=True)]
    for text in ("\n".join(lines), "place;height\n" + "\n".join(lines).replace(".", ",")):
        path = tmp_path / "rail.csv"
        path.write_text(text)
        assert Profile.from_csv(path, "rail").height(1e-3 * s) == pytest.approx(RAIL.height(1e-3 * s), abs=6e-7)
    path.write_text("\n".join(lines).replace(".", ",").replace(between, ","))
    with pytest.raises(FileError, match="has commas in its numbers and between them"):
        Profile.from_csv(path, "rail")


def test_60e1_has_its_radii_and_width():
    """EN 13674-1: R 300, 80, 13 mm; 72 mm wide 14.3 mm below the top; sides 1 : 20."""
    upright = Rail60E1(0.0)
    assert upright.curvature([0.0, 0.015, 0.03]) == pytest.approx([1 / 0.3, 1 / 0.08, 1 / 0.013])
    assert upright.gauge_face(0.0143) == pytest.approx(-0.036, abs=1e-6)
    assert upright.slope(0.0365) == pytest.approx(-20.0)
    for rail in (upright, RAIL, Rail60E1(1 / 20)):
        for s in joints(rail):
            assert rail.height(s + 1e-12) == pytest.approx(rail.height(s - 1e-12), abs=1e-9)
            assert rail.slope(s + 1e-12) == pytest.approx(rail.slope(s - 1e-12), rel=1e-6, abs=1e-9)


def test_an_inclined_rail_is_the_upright_one_turned():
    upright, angle = Rail60E1(0.0), np.arctan(1 / 40)
    s = np.linspace(-0.034, 0.034, 101)
    z = upright.height(s)
    across, up = np.cos(angle) * s - np.sin(angle) * z, np.sin(angle) * s + np.cos(angle) * z
    assert RAIL.height(across) == pytest.approx(up - (0.3 - 0.3 * np.cos(angle)), abs=1e-9)
    assert RAIL.top == pytest.approx((0.3 * np.sin(angle), 0.0), abs=1e-6)
    generic = Profile.from_points(s, z, "rail").inclined(1 / 40)
    middle = np.linspace(-0.02, 0.02, 31)
    assert generic.height(middle) == pytest.approx(RAIL.height(middle), abs=2e-7)


def test_slopes_and_curvatures_are_derivatives():
    h = 1e-6
    for profile, places in (
        (WHEEL, [-0.06, -0.05, -0.0385, -0.03, -0.01, 0.02, 0.05]),
        (RAIL, [-0.03, -0.015, 0.0, 0.02]),
    ):
        s = np.array(places)
        slope = (profile.height(s + h) - profile.height(s - h)) / (2 * h)
        assert profile.slope(s) == pytest.approx(slope, rel=1e-6)
        bend = (profile.slope(s + h) - profile.slope(s - h)) / (2 * h)
        assert np.abs(profile.curvature(s)) == pytest.approx(np.abs(bend) / (1 + slope**2) ** 1.5, rel=1e-5, abs=1e-6)


def test_points_in_any_order_and_unit_make_the_same_profile():
    s = np.linspace(-0.045, 0.05, 400)
    z = WHEEL.height(s)
    for profile in (
        Profile.from_points(s, z, "wheel"),
        Profile.from_points(s[::-1], z[::-1], "wheel"),
        Profile.from_points(1e3 * s, -1e3 * z, "wheel", unit="mm", z_down=True),
    ):
        near = np.linspace(-0.04, 0.045, 77)
        assert profile.height(near) == pytest.approx(WHEEL.height(near), abs=2e-7)


def test_smoothing_takes_the_noise_off():
    s = np.linspace(-0.03, 0.03, 1200)
    noisy = RAIL.height(s) + 5e-6 * np.random.default_rng(4).normal(size=len(s))
    smooth = Profile.from_points(s, noisy, "rail", smooth=5e-6)
    near = np.linspace(-0.02, 0.02, 200)
    error = smooth.height(near) - RAIL.height(near)
    assert sqrt(np.mean(error**2)) < 1.5e-6
    rough = Profile.from_points(s, noisy, "rail").slope(near) - RAIL.slope(near)
    assert np.std(smooth.slope(near) - RAIL.slope(near)) < 0.1 * np.std(rough)


def test_a_csv_like_those_of_instruments(tmp_path):
    path = tmp_path / "miniprof.txt"
    s = np.linspace(-40, 50, 300)
    rows = "\n".join(f"{a:.4f}\t{-1e3 * WHEEL.height(1e-3 * a):.5f}" for a in s)
    path.write_text("# MiniProf export\nX;Y\n" + rows + "\n", encoding="utf-8")
    read = Profile.from_csv(path, "wheel", z_down=True)
    assert read.name == "miniprof" and read.height([-0.02, 0.03]) == pytest.approx(
        WHEEL.height([-0.02, 0.03]), abs=1e-7
    )


def test_wear_is_taken_off_along_the_normal():
    """Equal wear of an arc leaves an arc about the same centre."""
    worn = Profile.arc(0.3).worn(lambda s: 1e-3)
    s = np.linspace(-0.03, 0.03, 50)
    assert worn.height(s) == pytest.approx(np.sqrt(0.299**2 - s**2) - 0.3, abs=1e-10)
    hollow = Profile.cone(0.05).worn(lambda s: 1e-3 * np.exp(-((s / 0.02) ** 2)))
    assert hollow.height(0.0) == pytest.approx(1e-3 / np.cos(np.arctan(0.05)), abs=1e-6)  # a wheel wears upwards


S = np.linspace(-0.04, 0.05, 200)


@pytest.mark.parametrize(
    "wrong, error, said",
    [
        (lambda: Profile.from_points(1e3 * S, 1e3 * WHEEL.height(S), "wheel"), ModelError, "90 m wide.*unit='mm'"),
        (lambda: Profile.from_points(S, WHEEL.height(S), "wheel", unit="mm"), ModelError, "9e-05 m wide.*unit='m'"),
        (lambda: Profile.from_points(S[[0, 2, 1, *range(3, 200)]], WHEEL.height(S), "wheel"), ModelError,
         "point 2 .* does not lie beyond point 1.*sort"),
        (lambda: Profile.from_points([0, 0.03, 0.01, 0.02, 0.05], [0, -0.01, 0.0, -0.02, -0.01], "rail"), ModelError,
         "crosses itself: the line between points 0 and 1 .* meets that between 2 and 3"),
        (lambda: Profile.from_points(S, -WHEEL.height(S), "wheel"), ModelError, "flange.*z_down=True"),
        (lambda: Profile.from_points(S[20:150], -RAIL.height(np.linspace(-0.03, 0.03, 130)), "rail"), ModelError,
         "lowest in its middle.*z_down"),
        (lambda: Profile.from_points(S, np.where(S > 0, np.nan, 0), "wheel"), ModelError, "point 89 is not finite"),
        (lambda: Profile.from_points(S, WHEEL.height(S), "wheel", smooth=0.02), ModelError, "smooth is 0.02 m"),
        (lambda: Profile.from_csv("no such file", "wheel"), FileError, "cannot read the profile no such file"),
        (lambda: Profile.cone(2.0), ModelError, "conicity must lie between 0 and 1"),
        (lambda: Profile.arc(0.03, width=0.07), ModelError, "is not 0.07 m wide"),
        (lambda: Rail60E1(0.7), ModelError, "inclination of 0.7 is not that of a rail"),
        (lambda: RAIL.worn(lambda s: 2e-3 * (np.sin(4000 * s) > 0)), ModelError, "crosses itself"),
    ],
)  # fmt: skip
def test_what_is_refused(wrong, error, said):
    with pytest.raises(error, match=said):
        wrong()


def test_a_csv_without_points_is_refused(tmp_path):
    path = tmp_path / "empty.csv"
    path.write_text("place;height\n1,5;2,5\n", encoding="utf-8")
    with pytest.raises(FileError, match="at least 4 points"):
        Profile.from_csv(path, "rail")


# -- files of profile gauges -------------------------------------------------------------------------------------------


def gauge_file(path, s, z):
    """As instruments write it: a header of words, then X, Y in mm, angle, curvature and a number."""
    rows = [f"{1e3 * a:.6f} {1e3 * b:.6f} 0.0000 0.0000 {k}" for k, (a, b) in enumerate(zip(s, z, strict=True))]
    header = ["ProgramName=gauge", "Date=2024-05-01", "XYUnit=mm", "ColumnDef=X,Y,A,C,N", ""]
    path.write_text("\n".join([*header, *rows]))
    return path


def test_a_wheel_with_its_flange_back_from_a_file(tmp_path):
    """Towards the middle, downwards, from the field side to the back of the flange, which rises again."""
    s = np.linspace(0.06, -0.069, 1291)
    up = np.linspace(WHEEL.height(-0.069), -0.005, 120)
    back = -0.069 + 4e-4 * np.sin(np.linspace(0, np.pi, 120))  # leans outwards, and comes back
    places, heights = np.concatenate([s, back[1:]]), np.concatenate([WHEEL.height(s), up[1:]])
    file = gauge_file(tmp_path / "front left.whl", -places, -heights)
    with pytest.raises(ModelError, match="trim=True cuts off"):
        Profile.from_csv(file, "wheel", z_down=True, inwards=True)
    found = Profile.from_csv(file, "wheel", z_down=True, inwards=True, trim=True)
    inside = np.linspace(-0.068, 0.059, 300)
    assert found.name == "front left" and found.start == pytest.approx(-0.069, abs=1e-4)
    assert found.height(inside) == pytest.approx(WHEEL.height(inside), abs=2e-6)
    with pytest.raises(ModelError, match=r"lies inside, at negative s.*inwards=True"):
        Profile.from_csv(file, "wheel", z_down=True, trim=True)


def test_a_rail_with_its_sides_from_a_file(tmp_path):
    s = np.linspace(RAIL.start, RAIL.end, 1201)
    low = RAIL.height(RAIL.start) - np.linspace(0.02, 0.0, 60)[:-1]
    side = RAIL.start + 3e-4 + 0 * low  # below its head a rail is narrower
    file = gauge_file(tmp_path / "x.ban", np.append(side, s), np.append(low, RAIL.height(s)))
    found = Profile.from_csv(file, "rail", trim=True)
    inside = np.linspace(-0.034, 0.034, 100)
    assert found.height(inside) == pytest.approx(RAIL.height(inside), abs=2e-6)
