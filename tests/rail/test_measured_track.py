"""Lines and irregularities from measured points."""

import numpy as np
import pytest

from trundle import rail
from trundle.errors import FileError, ModelError, SolveError
from trundle.rail.track.signal import SineSum


@pytest.fixture(scope="module")
def truth():
    """A left and a right curve over a crest."""
    plan = [rail.Straight(80), rail.Bloss(100, 500, 0.12), rail.Arc(500, 200, 0.12), rail.Sine(100, -700, 0.1)]
    plan += [rail.Arc(-700, 150, 0.1), rail.Bloss(80), rail.Straight(60)]
    profile = [rail.Grade(300, 0.01), rail.VerticalCurve(radius=6000, gradient=-0.008)]
    return rail.Alignment(plan, profile=profile, position=(10, 20, 5), heading=0.4)


def survey(line, noise, count=310):
    random = np.random.default_rng(3)
    s = np.linspace(0, line.length, count)
    p = line.position(s)
    columns = {"x": p[:, 0], "y": p[:, 1], "z": p[:, 2], "cant": line.cant(s)}
    return {name: values + noise * random.standard_normal(count) for name, values in columns.items()}


@pytest.mark.parametrize("noise", [1e-4, 2e-3])
def test_surveyed_places(truth, noise):
    fit = rail.fit_line(survey(truth, noise), tolerance=1.4 * noise)
    for name in ("plan", "z", "cant"):
        assert 0.2 * noise < fit.residuals[name].rms <= 1.4 * noise * 1.001
        assert fit.residuals[name].largest < 8 * noise
    # The line keeps to the truth as well as the points do, and is smooth where they are not.
    s = np.linspace(0, truth.length, 200)
    found = fit.line.position(s / truth.length * fit.line.length)
    assert np.abs(found - truth.position(s)).max() < 6 * noise
    assert fit.line.length == pytest.approx(truth.length, abs=10 * noise)
    assert fit.line.continuity().kinks == fit.line.continuity().jerks == ()
    assert f"tolerance {1.4 * noise:.3g}" in str(fit)


def test_exact_points_give_the_curve(truth):
    fit = rail.fit_line(survey(truth, 0.0, 800), tolerance={"plan": 1e-6, "z": 1e-6, "cant": 1e-6})
    s = np.linspace(20, truth.length - 20, 100)
    assert fit.line.curvature(s) == pytest.approx(truth.curvature(s), abs=2e-5)
    assert fit.line.cant(s) == pytest.approx(truth.cant(s), abs=2e-5)
    assert fit.line.gradient(s) == pytest.approx(truth.gradient(s), abs=2e-4)


def test_a_recording_car(truth, tmp_path):
    s = np.arange(0.0, truth.length, 2.0)
    random = np.random.default_rng(1)
    rows = zip(
        s + 1000.0,
        truth.curvature(s) + 2e-6 * random.standard_normal(len(s)),
        1e3 * truth.cant(s) + random.standard_normal(len(s)),
        strict=True,
    )
    path = tmp_path / "car.csv"
    path.write_text("# from the car\ns,curvature,cant_mm\n" + "\n".join(f"{a},{b},{c}" for a, b, c in rows) + "\n")
    fit = rail.fit_line(path, {"curvature": 2e-6, "cant": 1e-3})
    assert fit.line.name == "car" and fit.line.length == pytest.approx(s[-1])
    assert fit.residuals["curvature"].rms <= 2.001e-6 and fit.residuals["cant"].rms <= 1.001e-3
    at = np.linspace(5, s[-1] - 5, 50)
    assert fit.line.cant(at) == pytest.approx(truth.cant(at), abs=3e-3)
    m = fit.line.motion(at, 30.0)
    spin = np.linalg.norm(m.w, axis=1)
    assert spin == pytest.approx(30 * np.linalg.norm(truth.motion(at, 1.0).w, axis=1), abs=0.01)


def test_measured_irregularity(tmp_path):
    s = np.arange(0.0, 60.0, 0.25)
    noise = 1e-4 * np.random.default_rng(2).standard_normal(len(s))
    values = 3e-3 * np.sin(2 * np.pi * s / 12)
    rough = rail.Irregularity.measured({"s": s, "vertical_mm": 1e3 * (values + noise)}, tolerance=1e-4)
    at = np.linspace(3, 56, 100)
    assert rough.vertical(at) == pytest.approx(3e-3 * np.sin(2 * np.pi * at / 12), abs=3e-4)
    assert rough.vertical(at, 2) == pytest.approx(-3e-3 * (2 * np.pi / 12) ** 2 * np.sin(2 * np.pi * at / 12), abs=3e-4)
    h = 1e-4
    assert rough.vertical(at, 1) == pytest.approx((rough.vertical(at + h) - rough.vertical(at - h)) / (2 * h), abs=1e-9)
    assert rough.signals["vertical"].residual <= 1.001e-4
    with pytest.raises(SolveError, match=r"from 0 to 59\.75 m"):
        rough.vertical(61.0)
    rough.plot(tmp_path / "rough.png")
    assert (tmp_path / "rough.png").exists()


def test_short_waves_of_measured_rails_reach_the_table():
    """Points every 0.05 m: the nodes of the table are as close as those of the splines, with their derivatives."""
    s = np.arange(0.0, 60.0, 0.05)
    rough = rail.Irregularity.measured({"s": s, "vertical": 5e-5 * np.sin(2 * np.pi * s / 0.2)}, tolerance=1e-6)
    table = rail.irregularity_table(rough.faded(10.0, 20.0), 0.0, 59.0)
    at = np.random.default_rng(3).uniform(0, 59, 200)
    found = np.array([table(float(x)) for x in at])
    assert found[:, 1] == pytest.approx(rough.faded(10.0, 20.0).vertical(at), abs=2e-8)
    own = rail.Irregularity({"lateral": SineSum(np.array([40.0]), np.array([1e-4]), np.array([0.3]))})
    table = rail.irregularity_table(own, 0.0, 20.0)
    assert [table(float(x))[0] for x in at / 3] == pytest.approx(own.lateral(at / 3), abs=1e-9)


FILES = [
    ("", ["is empty"]),
    ("1,2\n3,4\n", ["line 1", "name the columns"]),
    ("s,curvature\n0,0\n1,abc\n", ["line 3", "2 finite numbers", "abc"]),
    ("s,curvature\n0,0\n1,nan\n", ["line 3"]),
    ("s,curvature\n0,0,5\n", ["line 2"]),
    ("s,banana\n0,0\n", ["banana", "known: s, curvature"]),
    ("s,s\n0,0\n", ["named twice"]),
    ("cant,cant_mm\n0,0\n", ["given twice"]),
    ("s,cant\n0,0\n", ["do not make a line"]),
    ("s,curvature\n" + "\n".join(f"{i},0" for i in (0, 1, 2, 3, 3, 4, 5, 6, 7)), ["after point 4 (3 m) comes 3 m"]),
    ("s,curvature\n0,0\n1,0\n", ["too few"]),
    ("x,y\n" + "\n".join(f"{i},0" for i in (0, 1, 2, 2, 3, 4, 5, 6, 7)), ["points 3 and 4 are the same place"]),
]


@pytest.mark.parametrize(("text", "words"), FILES)
def test_faults_of_files_name_the_line(tmp_path, text, words):
    path = tmp_path / "points.csv"
    path.write_text(text)
    with pytest.raises(FileError) as error:
        rail.fit_line(path, {"curvature": 1e-6} if "curv" in text else 1e-3)
    for word in words:
        assert word in str(error.value)


def test_tolerances_are_checked():
    columns = {"s": np.arange(20.0), "curvature": np.zeros(20)}
    with pytest.raises(ModelError, match="units differ"):
        rail.fit_line(columns, 1e-3)
    with pytest.raises(ModelError, match="positive"):
        rail.fit_line(columns, {"curvature": 0.0})
    with pytest.raises(ModelError, match="tolerance of 'curvature' too"):  # not that of the cant in metres
        rail.fit_line({**columns, "cant": np.zeros(20)}, {"cant": 1e-3})
    with pytest.raises(ModelError, match="no tolerance of 'plan'"):
        rail.fit_line(columns, {"plan": 1.0})
    with pytest.raises(FileError, match="finite numbers"):
        rail.fit_line({"x": [1.0], "y": ["a"]}, 1e-3)
    with pytest.raises(FileError, match="CSV file or from arrays"):
        rail.fit_line(5, 1e-3)
    with pytest.raises(FileError, match="cannot be read"):
        rail.fit_line("nowhere.csv", 1e-3)
    with pytest.raises(FileError, match="need a column s"):
        rail.Irregularity.measured({"s": np.arange(9.0)}, 1e-3)
