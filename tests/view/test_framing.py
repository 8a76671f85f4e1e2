"""The default view of a picture: all of the machine, bowls that are open, wheels beside each other."""

import numpy as np
import pytest

import trundle as tr
from trundle import examples
from trundle.run.run import Run
from trundle.run.surfaces import surfaces
from trundle.view.movie.camera import Eye
from trundle.view.scene import mesh
from trundle.view.scene.bowl import bowl
from trundle.view.scene.make import make_scene


def ball(radius: float = 0.5, centre: tuple[float, float, float] = (1.0, 0.0, 2.0)) -> np.ndarray:
    a, b = np.meshgrid(np.linspace(0, 2 * np.pi, 49), np.linspace(-np.pi / 2, np.pi / 2, 25), indexing="ij")
    return np.array(centre) + radius * np.stack([np.cos(a) * np.cos(b), np.sin(a) * np.cos(b), np.sin(b)], axis=-1)


@pytest.mark.parametrize("aspect", [0.5, 1.0, 1.6, 3.0])
@pytest.mark.parametrize("angles", [(None, None), (0.0, 0.05), (-1.5, 1.5)])
def test_all_of_the_motion_is_in_the_picture(
    cart: Run, arm: Run, aspect: float, angles: tuple[float | None, float | None]
) -> None:
    width, height = (300 * aspect, 300.0) if aspect > 1 else (300.0, 300 / aspect)
    for run in (cart, arm):
        scene = make_scene(run, plots=())
        p, R = scene.positions, scene.poses(0.0)[1]
        eye = Eye.of(scene, 0.0, *angles, 1.0, aspect)
        seen = [p[0, item.body] + item.mesh.vertices @ R[item.body].T for item in scene.items if item.layer == "bodies"]
        corners = [scene.low, scene.high, *(scene.low + (scene.high - scene.low) * e for e in np.eye(3))]
        places = eye.see(np.vstack([*seen, corners]), width, height)
        assert np.all(places[:, 2] > 0)
        assert np.all((places[:, 0] > 0) & (places[:, 0] < width) & (places[:, 1] > 0) & (places[:, 1] < height))
        near = eye.see(np.array(corners), width, height)[:, :2] / (width, height)
        assert np.ptp(near, axis=0).max() > 0.35  # and fills it


def test_springs_are_in_the_picture(cart: Run) -> None:
    scene = make_scene(cart, plots=())
    assert scene.low[0] <= -1.2  # where the spring is fixed to the ground
    assert scene.extent_at(0.0)[0][0] <= -1.2


def test_a_machine_that_travels_stays_in_the_picture() -> None:
    m = tr.Model("sledge")
    board = m.body("board", mass=1.0, inertia=(0.1, 0.1, 0.1), shape=tr.shape.Box((1.0, 1.0, 0.1)))
    m.connect(tr.Planar("z"), m.ground, board)
    run = m.build().simulate(2.0, {"board.x_rate": 3.0, "board.angle_rate": 1.0}, samples=41)
    scene = make_scene(run, plots=())
    assert scene.travels
    assert scene.around == pytest.approx((np.sqrt(0.5), 0.25), rel=1e-3)
    for t in (0.0, 0.8, 1.7):
        p, R = scene.poses(t)
        eye = Eye.of(scene, t, None, None, 1.0, 1.6)
        vertices = next(item for item in scene.items if item.layer == "bodies").mesh.vertices
        places = eye.see(p[1] + vertices @ R[1].T, 480, 300)
        assert np.all((places[:, :2] > 0) & (places[:, :2] < (480, 300)))


def test_a_bowl_is_open_where_nothing_moves() -> None:
    points, centre = ball(), np.array([1.0, 0.0, 2.0])
    swing = np.linspace(-0.8, 0.8, 9)
    touched = centre + 0.5 * np.column_stack([np.sin(swing), np.zeros(9), -np.cos(swing)])
    made = bowl(points, np.vstack([touched, np.full((1, 3), np.nan)]))
    assert made.shape == points.shape
    assert np.allclose(np.linalg.norm(made - centre, axis=-1), 0.5)
    assert np.min(made[..., 2]) == pytest.approx(1.5) and np.max(made[..., 2]) == pytest.approx(
        2 - 0.5 * np.cos(0.8 + 0.35)
    )
    shell = mesh.grid(made)
    assert np.all(np.einsum("ij,ij->i", shell.normals, centre - shell.vertices) > 0)  # out of the material
    # a ball that is touched all round, and what is no ball, stay whole
    loop = np.linspace(0, 2 * np.pi, 40)
    around = centre + 0.5 * np.column_stack([np.sin(loop), np.zeros(40), np.cos(loop)])
    assert bowl(points, around) is points
    pipe = points * (1.0, 1.0, 3.0)
    assert bowl(pipe, touched) is pipe


def test_wheels_of_one_axle_do_not_overlap() -> None:
    run = examples.model("wheelset-on-track").build().simulate(0.1, samples=5)
    wheels = [grid for grid in surfaces(run) if grid.body == "wheelset"]
    spans = sorted((float(g.points[..., 1].min()), float(g.points[..., 1].max())) for g in wheels)
    assert len(spans) == 2 and spans[0][1] < 0 < spans[1][0]


def test_quarters_end_sharply() -> None:
    for made in (mesh.cylinder(1.0, 2.0, striped=True), mesh.sphere(1.0, striped=True), mesh.grid(ball(), True)):
        corners = made.stripes[made.triangles]
        points = made.vertices[made.triangles]
        area = np.linalg.norm(np.cross(points[:, 1] - points[:, 0], points[:, 2] - points[:, 0]), axis=1)
        assert np.all(np.ptp(corners, axis=1)[area > 1e-9] == 0)
        dark, light = (area[corners[:, 0] == shade].sum() for shade in (1.0, 0.0))
        assert dark == pytest.approx(light, rel=1e-6)
