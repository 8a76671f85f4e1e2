"""Pictures of surfaces and contacts: what they show, where, and under which names."""

from math import inf
from pathlib import Path

import casadi as ca
import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure

from trundle.errors import ModelError, StoreError
from trundle.pairs import (
    CircleEdge,
    Cone,
    Cylinder,
    HelixEdge,
    HigherPair,
    LineEdge,
    Plane,
    Sphere,
    SpiralColumn,
    Surface,
    TangentSurface,
    Torus,
    Vertex,
)
from trundle.view import draw_pair, draw_surface, draw_surfaces
from trundle.view.contact import contact_at
from trundle.view.scene3d import Camera, Scene3D

KINDS: tuple[Surface, ...] = (
    Plane(),
    Cylinder(0.5),
    Cone(0.5, 0.4),
    Torus(0.5, 0.15),
    Sphere(0.5),
    SpiralColumn(1.0, 0.5, 0.5),
    TangentSurface(1.0, 0.5, 1.0),
)
SHARP: tuple[Surface, ...] = (CircleEdge(0.5), LineEdge(), HelixEdge(0.5, 0.2), Vertex())


def texts(panel: Axes) -> set[str]:
    return {text.get_text() for text in panel.texts} - {""}


def dots(panel: Axes) -> list[tuple[float, float]]:
    return [(line.get_xdata()[0], line.get_ydata()[0]) for line in panel.lines if line.get_marker() == "o"]


def faces(panel: Axes) -> int:
    """Polygons with a colour of their own, other than lines."""
    (drawn,) = [c for c in panel.collections if isinstance(c, PolyCollection)]
    return int(np.sum(drawn.get_facecolor()[:, 3] > 0))


def test_each_surface_with_its_screws_and_normal() -> None:
    figure = draw_surfaces(KINDS)
    assert len(figure.axes) == 8
    for panel, surface in zip(figure.axes, KINDS, strict=False):
        sweep = surface.sweep()
        assert panel.get_title(loc="left") == type(surface).__name__
        assert texts(panel) == {"n", sweep.first.name, sweep.second.name}
        assert faces(panel) > 1000
    legend = figure.axes[7].get_legend()
    assert legend is not None and len(legend.get_texts()) == 3


@pytest.mark.parametrize("surface", SHARP, ids=lambda s: type(s).__name__)
def test_edges_are_curves(surface: Surface) -> None:
    figure = draw_surface(surface)
    assert figure.get_suptitle() == type(surface).__name__
    assert texts(figure.axes[0]) == {"n", surface.sweep().first.name, surface.sweep().second.name}
    assert faces(figure.axes[0]) <= 1


def test_the_point_is_drawn_where_it_is() -> None:
    surface, camera = Cylinder(0.5), Camera(20.0, -40.0)
    panel = draw_surface(surface, at=(0.3, 0.2), camera=camera).axes[0]
    assert dots(panel) == [pytest.approx(tuple(camera.see(surface.point(0.3, 0.2))[:2]))]
    corner = np.max(np.abs(camera.see(np.stack(surface.mesh(), axis=-1))[..., 0]))
    assert panel.get_xlim()[1] > corner and -panel.get_xlim()[0] > corner


def test_a_bowl_is_cut_open() -> None:
    assert faces(draw_surface(Sphere(0.5, inside=True)).axes[0]) < 0.6 * faces(draw_surface(Sphere(0.5)).axes[0])


def test_camera_keeps_lengths_across_the_view() -> None:
    camera = Camera(35.0, 110.0)
    np.testing.assert_allclose(camera.axes @ camera.axes.T, np.eye(3), atol=1e-15)
    assert np.linalg.det(camera.axes) == pytest.approx(1)
    assert camera.see((0.0, 0.0, 1.0))[0] == 0 and camera.see((0.0, 0.0, 1.0))[1] > 0


def test_near_things_hide_far_ones() -> None:
    scene = Scene3D(Camera(0.0, 0.0))  # seen along -x
    square = np.array([[0, 0, 0], [0, 1, 0], [0, 1, 1], [0, 0, 1]], dtype=float)
    scene.face(square + np.array([1.0, 0.0, 0.0]), "#FF0000")
    scene.face(square, "#00FF00")
    panel = Figure().subplots()
    scene.paint(panel)
    (drawn,) = panel.collections
    np.testing.assert_allclose(drawn.get_facecolor()[:, :3], [[0, 1, 0], [1, 0, 0]])  # green first, red over it


@pytest.mark.parametrize(
    ("pair", "q", "names"),
    [
        (HigherPair(Plane(), Torus(0.5, 0.1)), (0.2, 0.1, 0.4, 0.3, 0.2), {"x", "y", "yaw", "roll", "pitch"}),
        (HigherPair(SpiralColumn(1.0, 1.0, 0.7), Cylinder(0.3)), (0.1, 0.2, 1.2, 0.1, 0.3),
         {"first_angle", "lean", "yaw", "second_angle", "slide"}),
        (HigherPair(TangentSurface(1.0, 1.0, 1.5), Sphere(0.7)), (0.1, 0.2, 1.0, 0.0, 0.1, 0.0),
         {"angle", "slide", "ball"}),
        (HigherPair(Sphere(0.7), Torus(0.5, 0.2)), (1.0, 0.2, 0.1, 0.0, 0.3, 0.2), {"ball", "roll", "pitch"}),
        (HigherPair(Sphere(1.5, inside=True), Sphere(0.4)), None, {"pitch", "roll", "ball"}),
        (HigherPair(Plane(), Vertex()), None, {"x", "y", "ball"}),
    ],
    ids=lambda v: v.title if isinstance(v, HigherPair) else "",
)  # fmt: skip
def test_contact_with_the_whole_chain(pair: HigherPair, q: tuple[float, ...] | None, names: set[str]) -> None:
    camera = Camera()
    figure = draw_pair(pair, q, camera=camera)
    panel = figure.axes[0]
    assert figure.get_suptitle() == pair.title
    assert texts(panel) == names
    rest = [1.0 if step.n_q == 4 and k == 0 else 0.0 for step in pair.chain().steps for k in range(step.n_q)]
    at = np.array(rest if q is None else q)
    contact, normal = contact_at(pair, at)
    np.testing.assert_allclose(dots(panel)[0], camera.see(contact)[:2], atol=1e-12)
    R, p = (np.array(ca.DM(v)) for v in pair.chain().pose(ca.SX(ca.DM(at))))
    for surface, R_body, p_body, sign in ((pair.first, np.eye(3), np.zeros(3), 1), (pair.second, R, p.ravel(), -1)):
        a, b, distance = surface.closest((contact - p_body) @ R_body)
        assert distance == pytest.approx(0, abs=1e-9)
        if surface.dimension == 2:
            np.testing.assert_allclose(R_body @ surface.normal(a, b), sign * normal, atol=1e-9)


def test_patches_stay_near_the_contact() -> None:
    panel = draw_pair(HigherPair(Cylinder(50.0), Sphere(0.5)), camera=Camera()).axes[0]
    assert np.diff(panel.get_xlim()) < 8
    wide = draw_pair(HigherPair(Plane(), Sphere(0.5)), reach=3.0).axes[0]
    assert np.diff(wide.get_xlim()) > 6


def test_pictures_on_disk(tmp_path: Path) -> None:
    draw_surface(Sphere(0.5), tmp_path / "s.png")
    draw_pair(HigherPair(Plane(), CircleEdge(0.5)), path=tmp_path / "p.pdf")
    assert (tmp_path / "s.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "p.pdf").read_bytes().startswith(b"%PDF")
    with pytest.raises(StoreError, match="nowhere"):
        draw_surface(Plane(), tmp_path / "nowhere" / "s.png")


def test_what_cannot_be_drawn() -> None:
    pair = HigherPair(Plane(), Sphere(0.5))
    with pytest.raises(ModelError, match=r"takes 6 finite coordinates \(x, y, quaternion \(4\)\)"):
        draw_pair(pair, (0.0, 1.0))
    with pytest.raises(ModelError, match="depend on r"):
        draw_surface(Sphere(ca.SX.sym("r")))
    with pytest.raises(ModelError, match="finite"):
        draw_pair(pair, (inf, 0.0, 1.0, 0.0, 0.0, 0.0))
