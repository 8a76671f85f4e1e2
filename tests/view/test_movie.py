"""Movies: painted without a display, from the same scene as the page."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import trundle as tr
from trundle.errors import SolveError, StoreError, UnknownNameError
from trundle.run.run import Run
from trundle.view.movie.camera import Eye
from trundle.view.movie.movie import picture, usual_speed
from trundle.view.movie.painter import SKY, Painter
from trundle.view.scene.make import make_scene
from trundle.view.scene.mesh import box, sphere

EYE = Eye(np.zeros(3), 0.3, 0.4, 10.0)
RED, BLUE = (0.9, 0.1, 0.1), (0.1, 0.1, 0.9)


def test_ball_covers_the_area_of_its_outline() -> None:
    painter = Painter(300, 200, EYE)
    painter.add(sphere(1.0), np.eye(3), np.zeros(3), RED)
    covered = np.sum(np.abs(painter.pixels().astype(float) / 255 - SKY).max(axis=2) > 0.1)
    radius = EYE.scale(300, 200) / np.sqrt(10.0**2 - 1)  # of the cone that touches the ball
    assert covered == pytest.approx(np.pi * radius**2, rel=0.02)


def test_near_things_hide_far_ones_whatever_comes_first() -> None:
    toward = EYE.axes[2]
    pictures = []
    for order in (1, -1):
        painter = Painter(120, 80, EYE)
        things = [(RED, 2.0 * toward), (BLUE, -2.0 * toward)][::order]
        for colour, place in things:
            painter.add(box((0.5, 0.5, 0.5)), np.eye(3), place, colour)
        pictures.append(painter.pixels())
    assert np.array_equal(*pictures)
    middle = pictures[0][40, 60]
    assert middle[0] > 3 * middle[2]


def test_glass_lets_light_through_and_bowls_are_looked_into() -> None:
    painter = Painter(120, 80, EYE)
    painter.add(box((0.5, 0.5, 0.5)), np.eye(3), np.zeros(3), BLUE)
    solid = painter.pixels()[40, 60].astype(float)
    painter.add(sphere(1.5), np.eye(3), np.zeros(3), RED, opacity=0.3)
    mixed = painter.pixels()[40, 60].astype(float)
    assert solid[0] < mixed[0] and mixed[2] > 0.5 * solid[2]
    inside = Painter(120, 80, EYE)
    inside.add(box((0.5, 0.5, 0.5)), np.eye(3), np.zeros(3), BLUE)
    hollow = sphere(1.5)
    object.__setattr__(hollow, "normals", -hollow.normals)  # the material is outside
    inside.add(hollow, np.eye(3), np.zeros(3), RED, hollow=True)
    assert np.array_equal(inside.pixels()[40, 60], solid.astype(np.uint8))


def test_picture_shows_the_pose_of_its_time(cart: Run) -> None:
    scene = make_scene(cart, plots=())
    p, R = scene.poses(float(cart.time[7]))
    i = scene.bodies.index("mast")
    assert np.allclose(p[i], cart.values("mast.position")[7], atol=1e-14)
    assert np.allclose(R[i].T.ravel(), cart.values("mast.rotation")[7], atol=1e-14)
    first, later = (np.asarray(picture(scene, t, (160, 100))) for t in (0.0, 0.5))
    assert first.shape == (100, 160, 3) and np.mean(first != later) > 0.005


def test_gif_has_all_frames(cart: Run, tmp_path: Path) -> None:
    path = cart.save_movie(tmp_path / "cart.gif", fps=10, speed=0.5, size=(120, 80), layers=["reactions", "frames"])
    with Image.open(path) as movie:
        assert movie.size == (120, 80) and movie.n_frames == 21 and movie.info["duration"] == 100


def test_mp4_has_all_frames(cart: Run, tmp_path: Path) -> None:
    ffmpeg = pytest.importorskip("imageio_ffmpeg", reason="imageio-ffmpeg is not installed")
    path = cart.save_movie(tmp_path / "cart.mp4", fps=10, speed=1.0, size=(128, 80))
    frames, seconds = ffmpeg.count_frames_and_secs(str(path))
    assert frames == 11 and seconds == pytest.approx(1.1, abs=0.11)


def test_speed_suits_the_motion() -> None:
    assert usual_speed(10.0) == 1.0 and usual_speed(0.1) == 0.01 and usual_speed(80.0) == 10.0


def test_bad_wishes_are_refused(cart: Run, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"\.gif or \.mp4"):
        cart.save_movie(tmp_path / "cart.avi")
    with pytest.raises(SolveError, match="fps"):
        cart.save_movie(tmp_path / "cart.gif", fps=0)
    with pytest.raises(SolveError, match="higher speed"):
        cart.save_movie(tmp_path / "cart.gif", speed=1e-5)
    with pytest.raises(SolveError, match="16 pixels"):
        cart.save_movie(tmp_path / "cart.gif", size=(4, 4))
    with pytest.raises(UnknownNameError, match="'contacts'"):
        cart.save_movie(tmp_path / "cart.gif", layers=["contact"])


def test_contacts_without_friction_are_shown(tmp_path: Path) -> None:
    m = tr.Model("puck")
    m.connect(tr.HigherPair(tr.Plane(), tr.Sphere(0.1)), m.ground, m.body("puck", mass=1.0, inertia=0.01))
    run = m.build().simulate(0.2, samples=5)
    with Image.open(
        run.save_movie(tmp_path / "puck.gif", fps=5, speed=0.2, size=(80, 60), layers=["contacts"])
    ) as movie:
        assert movie.n_frames > 1
