"""Lines: their geometry, continuity of their segments, and invalid ones."""

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

from trundle import rail
from trundle.errors import ModelError, SolveError
from trundle.rail.track.transition import transitions


def typed(x):
    """Shapes once more, for arrays."""
    return {
        "Clothoid": x,
        "Bloss": 3 * x**2 - 2 * x**3,
        "Cosine": (1 - np.cos(np.pi * x)) / 2,
        "Sine": x - np.sin(2 * np.pi * x) / (2 * np.pi),
        "Helmert": np.where(x < 0.5, 2 * x**2, 1 - 2 * (1 - x) ** 2),
    }


def test_ten_kilometres_end_where_the_integrated_curve_ends():
    """Left and right, compound and S-curves, gradients; the curvature typed once more and integrated by steps."""
    kinds = ["Clothoid", "Bloss", "Cosine", "Sine", "Helmert"]
    radii = [600.0, 900.0, -400.0, math.inf, 1200.0, -800.0, 500.0, math.inf, -2000.0, 700.0]
    segments, turns, k = [rail.Straight(200)], [(200.0, None, 0.0, 0.0)], 0.0
    for i, radius in enumerate(radii):
        kind, end = kinds[i % 5], 0.0 if math.isinf(radius) else 1 / radius
        segments.append(getattr(rail, kind)(180.0, radius, 0.0))
        turns.append((180.0, kind, k, end))
        segments.append(rail.Arc(radius, 800.0) if end else rail.Straight(800.0))
        turns.append((800.0, None, end, end))
        k = end
    profile = [rail.Grade(3000, 0.012), rail.VerticalCurve(900, -0.02), rail.Grade(1000, -0.02)]
    line = rail.Alignment(segments, profile=profile)
    assert line.length == pytest.approx(10_000)
    sine = [g / math.hypot(1, g) for g in (0.012, -0.02)]
    state, at = np.zeros(4), 0.0
    for length, kind, first, last in turns:
        breaks = [at, *(s for s in (3000.0, 3900.0, 4900.0, at + length / 2) if at < s < at + length), at + length]
        for begin, end in pairwise(breaks):

            def rate(s, y, at=at, length=length, kind=kind, first=first, last=last):
                share = typed(np.asarray((s - at) / length))[kind] if kind else 0.0
                rise = np.interp(s, [3000, 3900], sine)
                flat = math.sqrt(1 - rise**2)
                return [flat * math.cos(y[3]), flat * math.sin(y[3]), rise, first + (last - first) * share]

            state = solve_ivp(rate, (begin, end), state, method="DOP853", rtol=1e-13, atol=1e-12).y[:, -1]
        at += length
        assert np.abs(line.position(at) - state[:3]).max() < 1e-9
        assert abs(line.heading(at) - state[3]) < 1e-11


@pytest.mark.parametrize(
    ("kind", "s", "x", "y", "digits"),
    [
        ("Bloss", 100, 99.7468, 4.98981, 6e-5),  # two digits of x stand the other way round there
        ("Cosine", 100, 99.7485, 4.9458, 6e-5),
        ("Sine", 100, 99.757, 4.70132, 6e-4),
        ("Helmert", 50, 49.9972443634885, 0.347204361427475, 1e-10),
        ("Vienna", 100, 99.76319823871657, 4.499916129045404, 1e-6),
    ],
)
def test_worked_examples_of_the_ifc_alignment_guide(kind, s, x, y, digits):
    """100 m from straight track to a radius of 300 m; for the Vienna curve an angle of 0.1/1.5, height 1.8 m."""
    cant = 1.5 * math.sin(0.1 / 1.5) if kind == "Vienna" else 0.0
    line = rail.Alignment([getattr(rail, kind)(100, 300, cant)])
    assert line.position(float(s))[:2] == pytest.approx([x, y], abs=digits)
    assert line.heading(100.0) == pytest.approx(1 / 6, abs=1e-12)


def test_cubic_parabola_is_the_cubic():
    """y = C x^3 with 1/600 at its end, by another way: the end from two equations, then places along it."""
    line = rail.Alignment([rail.CubicParabola(100, 600)])

    def arc(c, x):
        u = np.linspace(0, x, 2001)
        f = np.sqrt(1 + 9 * c * c * u**4)
        return (x / 6000) * (f[0] + f[-1] + 4 * f[1::2].sum() + 2 * f[2:-1:2].sum())

    def end(c):
        return brentq(lambda x: arc(c, x) - 100, 90, 101, xtol=1e-13)

    c = brentq(lambda c: 6 * c * end(c) / (1 + 9 * c**2 * end(c) ** 4) ** 1.5 - 1 / 600, 2e-6, 4e-6, xtol=1e-22)
    for s in np.linspace(5, 100, 12):
        x = brentq(lambda x, s=s: arc(c, x) - s, 0, 101, xtol=1e-13)
        assert line.position(s)[:2] == pytest.approx([x, c * x**3], abs=1e-8)
    assert line.curvature(100.0) == pytest.approx(1 / 600, rel=1e-12)


@pytest.mark.parametrize("kind", transitions(of_user=False), ids=lambda k: k.__name__)
def test_out_of_a_curve_is_into_it_backwards(kind):
    """Mirror: left and right, in and out."""
    into = rail.Alignment([kind(100, 600, 0.15), rail.Arc(600, 50, 0.15)])
    right = rail.Alignment([kind(100, -600, 0.15), rail.Arc(-600, 50, 0.15)])
    out = rail.Alignment([rail.Arc(600, 50, 0.15), kind(100)])
    s = np.linspace(0, 150, 31)
    assert right.position(s) == pytest.approx(into.position(s) * [1, -1, 1], abs=1e-12)
    assert right.cant(s) == pytest.approx(-into.cant(s), abs=1e-15)
    inner = s[1:-1]
    assert out.curvature(150 - inner) == pytest.approx(into.curvature(inner), abs=1e-14)
    assert out.cant(150 - inner) == pytest.approx(into.cant(inner), abs=1e-14)
    # w turns about z and y the other way round, and rolls the same, seen in the mirror.
    a, b = into.motion(70.0, 30.0, 0.3), right.motion(70.0, 30.0, 0.3)
    assert b.w == pytest.approx(a.w * [-1, 1, -1]) and b.eps == pytest.approx(a.eps * [-1, 1, -1])


def test_compound_and_reverse_curves_begin_where_the_segment_before_ends():
    for kind in transitions(of_user=False):
        line = rail.Alignment(
            [rail.Arc(400, 30, 0.1), kind(90, 900, 0.04), rail.Arc(900, 30, 0.04), kind(120, -500, 0.08)]
        )
        assert line.curvature(119.999999) == pytest.approx(1 / 900, rel=1e-4)
        assert line.cant(270.0) == pytest.approx(-0.08)
        assert np.ptp(np.diff(line.position(np.linspace(0, 270, 2701)), axis=0)[:, 0]) < 0.2


def test_cant_ramp_of_another_shape():
    line = rail.Alignment([rail.Sine(100, 600, 0.15, ramp="linear")])
    assert line.cant(np.array([25.0, 50.0])) == pytest.approx([0.0375, 0.075], abs=1e-15)
    split = rail.Alignment([rail.Sine(100, 600, 0.15, ramp="helmert")])
    assert len(split.rows) == 2 and split.cant(25.0) == pytest.approx(0.15 * 2 * 0.25**2)
    assert split.curvature(75.0) == pytest.approx(rail.Alignment([rail.Sine(100, 600)]).curvature(75.0), abs=1e-17)


def test_low_rail_keeps_its_height():
    line = rail.Alignment([rail.Straight(20), rail.Bloss(100, 600, 0.15), rail.Arc(600, 50, 0.15)], pivot="low rail")
    s = np.linspace(0, 170, 341)
    m = line.motion(s)
    left = m.position + 0.75 * m.rotation[:, :, 1]  # the inner rail
    assert np.abs(left[:, 2]).max() < 2e-7  # the rails stand square to a centre line that climbs by at most 1.1 mm/m
    assert m.position[-1, 2] == pytest.approx(0.075, abs=1e-12)


def test_vertical_curve_by_radius_and_height():
    line = rail.Alignment(
        [rail.Straight(1000)], profile=[rail.Grade(200, 0.01), rail.VerticalCurve(radius=5000, gradient=-0.01)]
    )
    s = np.linspace(201, 299, 9)
    sine = 0.01 / math.sqrt(1.0001)
    assert line.local(s).g1 * line.local(s).cos_g == pytest.approx(-1 / 5000)
    assert line.position(1000.0)[2] == pytest.approx(200 * sine - (800 - 2 * sine * 5000) * sine, abs=1e-10)
    assert line.gradient(np.array([0.0, 999.0])) == pytest.approx([0.01, -0.01])


def test_start_of_the_line():
    line = rail.Alignment([rail.Arc(100, 50 * math.pi)], position=(1, 2, 3), heading=math.pi / 2)
    assert line.position(50 * math.pi) == pytest.approx([1 - 100, 2 + 100, 3], abs=1e-11)
    assert line.heading(50 * math.pi) == pytest.approx(math.pi)


CONTINUITY = {  # order of the first jump of curvature and of cant at an end, kinks, jerks
    "Clothoid": (1, 1, 2, 0),
    "CubicParabola": (1, 1, 2, 0),
    "Polynomial": (1, 1, 2, 0),
    "Bloss": (2, 2, 0, 2),
    "Adjustable": (2, 2, 0, 2),
    "Cosine": (2, 2, 0, 2),
    "Helmert": (2, 2, 0, 3),
    "Sine": (3, 3, 0, 0),
    "Vienna": (2, 4, 0, 0),
}


@pytest.mark.parametrize("kind", transitions(of_user=False), ids=lambda k: k.__name__)
def test_jumps_and_kinks_of_transitions(kind):
    """Kink of the roll rate for linear ramps, jump of its derivative for the cosine, neither for the sine."""
    line = rail.Alignment([rail.Straight(50), kind(100, 600, 0.15), rail.Arc(600, 50, 0.15)])
    found = line.continuity()
    curvature, cant, kinks, jerks = CONTINUITY[kind.__name__]
    for s in (50.0, 150.0):
        assert {j.quantity: j.derivative for j in found.at(s)} == {"curvature": curvature, "cant": cant}
    assert (len(found.kinks), len(found.jerks)) == (kinks, jerks)
    # What is said to jump does, and what is not does not.
    for s in (50.0, 150.0):
        before, after = (line.motion(s + d, 30.0) for d in (-1e-7, 1e-7))
        assert (np.abs(after.w - before.w).max() > 1e-6) == (s in found.kinks)
        assert (np.abs(after.eps - before.eps).max() > 1e-5) == (s in found.jerks or s in found.kinks)


def test_report_of_continuity():
    line = rail.Alignment([rail.Straight(50), rail.Clothoid(100, 600, 0.15), rail.Arc(600, 50, 0.15)])
    text = str(line.continuity())
    assert "50 m: first derivative of cant from 0 to 0.0015" in text and "jumps" in text and "at 50, 150 m" in text
    assert "every derivative" in str(rail.Alignment([rail.Straight(50)]).continuity())


S, C = rail.Straight(50), rail.Clothoid(100, 600, 0.15)
BAD = [
    ([S, rail.Arc(600, 100)], {}, ["at 50 m", "segment 2 (Arc, 50 to 150 m)", "straight track", "600 m to the left"]),
    ([S, C, rail.Arc(500, 100, 0.15)], {}, ["at 150 m", "segment 3", "600 m to the left", "500 m to the left"]),
    ([S, C, rail.Arc(600, 100, 0.10)], {}, ["at 150 m", "cant jumps from 0.15 to 0.1"]),
    ([S, C, rail.Arc(-600, 100, 0.15)], {}, ["to the right", "cant jumps"]),
    ([S, C, rail.Straight(10)], {}, ["at 150 m", "straight track"]),
    ([rail.Straight(0)], {}, ["segment 1 (Straight, from 0 m)", "length is 0 m"]),
    ([S, rail.Clothoid(-5, 600)], {}, ["segment 2 (Clothoid, from 50 m)", "length is -5 m"]),
    ([rail.Straight(math.nan)], {}, ["length is nan"]),
    ([S, rail.Clothoid(20, 0.7)], {}, ["segment 2", "radius is 0.7 m", "half the gauge is 0.75 m"]),
    ([rail.Arc(0.0, 20)], {}, ["radius is 0 m"]),
    ([rail.Arc(math.nan, 20)], {}, ["radius is nan"]),
    ([S, rail.Clothoid(100, 600, 150)], {}, ["cant is 150 m", "150 mm are 0.15"]),
    ([S, rail.Sine(100, 600, math.inf)], {}, ["cant is inf"]),
    ([S, rail.Sine(100, 600, 0.1, ramp="lineal")], {}, ["no ramp called 'lineal'", "linear"]),
    ([S, rail.Vienna(100, 600, 0.1, ramp="linear")], {}, ["leave `ramp` out"]),
    ([S, rail.Polynomial(100, 600, coefficients=(0, 0, 2))], {}, ["from 0 to 2", "from 0 to 1"]),
    ([S, rail.CubicParabola(800, 600)], {}, ["segment 2 (CubicParabola, 50 to 850 m)", "at most", "24.1 degrees"]),
    ([], {}, ["at least one segment"]),
    ([S], {"half_gauge": 0.0}, ["half_gauge"]),
    ([S], {"position": (0, 0)}, ["three finite numbers"]),
    ([S], {"pivot": "left"}, ["'low rail'"]),
    ([S, C], {"pivot": "low rail"}, ["at 50 m", "kink", "Bloss"]),
    ([S, rail.Vienna(100, 600, 0.1)], {"pivot": "low rail"}, ["segment 2 (Vienna", "centre of the track"]),
    ([S], {"profile": [rail.Grade(20, 0.01), rail.Grade(20, 0.02)]}, ["part 2", "VerticalCurve"]),
    ([S], {"profile": [rail.Grade(20, 12.0)]}, ["part 1", "10 per mille are 0.010"]),
    ([S], {"profile": [rail.Grade(70, 0.01)]}, ["beyond the end of the line at 50 m"]),
    ([S], {"profile": [rail.VerticalCurve(20, 0.01)]}, ["begins with a Grade"]),
    ([S], {"profile": [rail.Grade(10), rail.VerticalCurve(20, 0.01, radius=100)]}, ["either its length or its radius"]),
    ([S], {"profile": [rail.Grade(10), rail.VerticalCurve(20, 0.01, shape="sine")]}, ["no vertical shape"]),
    ([rail.Straight("50")], {}, ["segment 1 (Straight, from 0 m)", "its length is '50'", "give a number"]),
    ([S, rail.Clothoid(50, 600, None)], {}, ["segment 2", "its cant is None"]),
    ([S, rail.Sine(50, 600, ramp=3)], {}, ["its ramp is 3"]),
    ([S, 50], {}, ["segment 2 is 50"]),
    (S, {}, ["brackets"]),
    ([S], {"half_gauge": "0.75"}, ["half_gauge is '0.75'"]),
    ([S], {"position": ("a", 0, 0)}, ["three finite numbers"]),
    ([S], {"profile": [S]}, ["part 1 of the profile", "Grade or VerticalCurve"]),
    ([S], {"profile": [rail.Grade("x", 0.01)]}, ["part 1 of the profile (Grade)", "its length is 'x'"]),
    ([S, rail.Polynomial(50, 600, coefficients="ab")], {}, ["finite coefficients"]),
]  # fmt: skip


@pytest.mark.parametrize(("segments", "options", "words"), BAD)
def test_what_is_refused_names_the_place(segments, options, words):
    with pytest.raises(ModelError) as error:
        rail.Alignment(segments, **options)
    for word in words:
        assert word in str(error.value)


def test_all_faults_at_once():
    with pytest.raises(ModelError) as error:
        rail.Alignment([rail.Straight(-1), rail.Arc(0.2, 10, 5.0)])
    assert len(error.value.faults) == 3


def test_curvature_may_jump_if_allowed():
    line = rail.Alignment([S, rail.Arc(300, 40)], curvature_jumps=True)
    assert line.curvature(np.array([49.9, 50.0])) == pytest.approx([0, 1 / 300])
    assert line.continuity().kinks == (50.0,)


def test_notes_about_unusual_cant():
    line = rail.Alignment([rail.Straight(50, cant=0.02), rail.Clothoid(50, 600, -0.02)])
    assert line.notes[0].startswith("segment 1 (Straight, 0 to 50 m): cant of 0.02 m without curvature")
    assert "inner rail" in line.notes[1]
    assert rail.Alignment([S, C, rail.Arc(600, 10, 0.15)]).notes == []


def test_places_beyond_the_line_and_symbols_without_a_row():
    import casadi as ca

    line = rail.Alignment([S])
    with pytest.raises(SolveError, match="places in metres"):
        line.motion("a")
    for s in (-1.0, 50.1, math.nan):
        with pytest.raises(SolveError, match="from 0 to 50 m"):
            line.motion(s, 10.0)
    with pytest.raises(SolveError, match="row_at"):
        line.motion(ca.SX.sym("s"), 10.0)
    with pytest.raises(SolveError, match="speed"):
        line.motion(3.0, math.nan)


def test_a_curve_of_ones_own():
    from dataclasses import dataclass

    from trundle.rail.track.basis import harmonics, polynomial

    @dataclass(frozen=True)
    class Mixed(rail.Transition):
        shape = ((1.0, polynomial(0.25, 0.5) + harmonics(cos1=-0.25)),)

    line = rail.Alignment([Mixed(100, 500, 0.1), rail.Arc(500, 10, 0.1)])
    assert line.curvature(50.0) == pytest.approx(0.5 / 500)
    assert Mixed in transitions() and Mixed not in transitions(of_user=False)
    with pytest.raises(ModelError, match="from 0 at x = 0"):
        type("Wrong", (rail.Transition,), {"shape": ((1.0, polynomial(0.1, 0.9)),)})


def test_picture_of_an_alignment(tmp_path):
    line = rail.Alignment([S, C, rail.Arc(600, 100, 0.15)], profile=[rail.Grade(30, 0.01)])
    line.plot(tmp_path / "line.png")
    assert (tmp_path / "line.png").stat().st_size > 20_000
    assert "segment 2 (Clothoid, 50 to 150 m)" in str(line)
