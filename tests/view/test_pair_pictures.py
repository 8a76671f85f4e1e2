"""Pictures of lower pairs, of planar pairs, and of the pitch of a bicycle."""

from math import pi
from pathlib import Path

import casadi as ca
import numpy as np
import pytest
from matplotlib import patches

import trundle as tr
from trundle.bicycle import Geometry
from trundle.bicycle.picture import draw_pitch
from trundle.errors import ModelError
from trundle.view import draw_lower_pairs, draw_pair

PLANAR = [
    tr.PlanarPair(tr.Circle(0.5), tr.Circle(0.3)),
    tr.PlanarPair(tr.Line(), tr.Circle(0.5)),
    tr.PlanarPair(tr.Circle(0.5), tr.Vertex()),
    tr.PlanarPair(tr.Line(), tr.Vertex()),
    tr.PlanarPair(tr.Vertex(), tr.Circle(0.8, inside=True)),
]


@pytest.mark.parametrize("pair", PLANAR, ids=lambda pair: pair.title)
def test_planar_pairs_touch_in_the_picture(pair: tr.PlanarPair, tmp_path: Path) -> None:
    """The point of contact lies on every circle that is drawn."""
    figure = draw_pair(pair, (0.4, 0.6), tmp_path / "pair.png")
    axes = figure.axes[0]
    (dot,) = (line for line in axes.lines if line.get_marker() == "o")
    contact = np.array([dot.get_xdata()[0], dot.get_ydata()[0]])
    radii = [float(s.radius) for s in (pair.first, pair.second) if isinstance(s, tr.Circle)]
    drawn = [p for p in axes.patches if hasattr(p, "center") and any(abs(p.radius - r) < 1e-12 for r in radii)]
    assert len(drawn) >= len(radii)
    for circle in drawn:
        assert np.linalg.norm(contact - np.array(circle.center)) == pytest.approx(circle.radius, abs=1e-12)
    assert {text.get_text()[0] for text in axes.texts if text.get_text()} <= {"R", "P"}


def test_a_planar_pair_needs_its_coordinates() -> None:
    with pytest.raises(ModelError, match="takes 2 finite coordinates"):
        draw_pair(PLANAR[0], (0.1,))


@pytest.mark.parametrize("follower", [tr.Circle(0.01), tr.Vertex(), tr.Line()], ids=repr)
def test_a_cam_and_its_follower(follower: tr.Circle | tr.Vertex | tr.Line, tmp_path: Path) -> None:
    """The point of contact lies on the profile; the centre of a roller lies its radius away, in the given direction."""
    flat = isinstance(follower, tr.Line)
    cam = tr.Cam(lambda a: 0.03 + 0.004 * tr.cos(a)) if flat else tr.Cam.tangent(0.03, 0.012, 0.025)
    figure = draw_pair(tr.PlanarPair(cam, follower), [0.6], tmp_path / "cam.png")
    (axes,) = figure.axes
    contact = np.ravel([line.get_xydata() for line in axes.lines if line.get_markersize() == 4])
    x, z = ca.SX.sym("x"), ca.SX.sym("z")
    assert abs(float(ca.Function("gap", [x, z], [cam.shape.near(x, z)[0]])(*contact))) < 1e-9
    if isinstance(follower, tr.Circle):
        roller = next(p for p in axes.patches if isinstance(p, patches.Circle))
        centre = np.array(roller.center)
        assert np.linalg.norm(centre - contact) == pytest.approx(0.01, rel=1e-6)
        assert np.arctan2(*centre) == pytest.approx(0.6, abs=1e-9)


def test_a_cam_whose_profile_is_a_parameter_has_no_picture() -> None:
    m = tr.Model("cam")
    base = m.parameter("base", 0.03)
    with pytest.raises(ModelError, match="profile in numbers"):
        draw_pair(tr.PlanarPair(tr.Cam(lambda a: base + 0.004 * tr.cos(a)), tr.Circle(0.01)))


def test_the_six_lower_pairs(tmp_path: Path) -> None:
    figure = draw_lower_pairs(path=tmp_path / "six.png")
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    assert [title.split()[0] for title in titles] == [
        "Spherical", "Planar", "Cylindrical", "Revolute", "Prismatic", "Helical",
    ]  # fmt: skip
    with pytest.raises(ModelError, match="one of the six"):
        draw_lower_pairs([tr.Universal()])


def test_the_pitch_lies_on_a_root(tmp_path: Path) -> None:
    figure = draw_pitch(Geometry(1.02, 0.08, pi / 10, 0.3, 0.35), path=tmp_path / "pitch.png")
    *roots, _, pitch = (line.get_ydata() for line in figure.axes[1].lines)
    there = np.isfinite(pitch)
    distance = np.nanmin(np.abs(np.array(roots) - pitch)[:, there], axis=0)
    assert np.max(distance) < 1e-9 and there.mean() > 0.7
