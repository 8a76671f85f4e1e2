"""Pictures of mechanisms: the right plane, the right places, ghosts and traces."""

import json
from pathlib import Path

import numpy as np
import pytest
from matplotlib.patches import Circle, Polygon

import trundle as tr
from trundle import examples
from trundle.errors import ModelError, SolveError
from trundle.run.geometry import geometry
from trundle.run.provenance import as_json
from trundle.run.run import Run
from trundle.run.store import load
from trundle.view.outline import coil, outline
from trundle.view.scene.bowl import bowl


def bars(run: Run, **options: object) -> list[np.ndarray]:
    """End points of the solid straight bars in a flat picture."""
    axes = run.draw(**options).axes[0]
    solid = [line for line in axes.lines if len(line.get_xdata()) == 2 and line.get_alpha() == 1.0]
    return [np.column_stack([line.get_xdata(), line.get_ydata()]) for line in solid]


def test_planar_mechanism_in_its_plane(four_bar: Run, cart: Run) -> None:
    assert (four_bar.draw().axes[0].get_xlabel(), four_bar.draw().axes[0].get_ylabel()) == ("x (m)", "y (m)")
    assert cart.draw().axes[0].get_ylabel() == "z (m)"
    assert four_bar.draw().axes[0].get_aspect() == 1.0


def test_spatial_mechanism_in_space_with_equal_scales(arm: Run) -> None:
    axes = arm.draw().axes[0]
    assert axes.name == "3d"
    lengths = [np.ptp(limits) for limits in (axes.get_xlim(), axes.get_ylim(), axes.get_zlim())]
    np.testing.assert_allclose(axes._box_aspect / lengths, (axes._box_aspect / lengths)[0])


def test_bars_stand_where_the_bodies_are(four_bar: Run) -> None:
    drawn = bars(four_bar, times=[0.0, 0.5])
    assert len(drawn) == 3
    i = int(np.argmin(np.abs(four_bar.time - 0.5)))
    for name, bar in zip(("crank", "rocker", "coupler"), drawn, strict=True):
        start = four_bar.values(f"{name}.position")[i, :2]
        middle = four_bar.values(f"{name}.com_position")[i, :2]
        np.testing.assert_allclose(np.sort(bar, axis=0), np.sort([start, 2 * middle - start], axis=0), atol=1e-12)


def test_number_of_poses_follows_the_times(four_bar: Run) -> None:
    counts = []
    for times in ([0.5], [0.0, 0.25, 0.5]):
        axes = four_bar.draw(times=times).axes[0]
        pins = [line for line in axes.lines if line.get_marker() == "o"]
        counts.append(len(pins))
    assert counts[1] == 3 * counts[0] > 0


def test_traces_follow_the_mass_centres(four_bar: Run) -> None:
    axes = four_bar.draw(times=[0.0, 1.0]).axes[0]
    path = four_bar.values("coupler.com_position")[:, :2]
    traces = [np.column_stack([line.get_xdata(), line.get_ydata()]) for line in axes.lines]
    assert any(t.shape == path.shape and np.allclose(t, path, atol=1e-12) for t in traces)


def test_shapes_springs_and_rails_are_drawn(cart: Run) -> None:
    axes = cart.draw(times=[0.0]).axes[0]
    balls = [patch for patch in axes.patches if isinstance(patch, Circle)]
    assert [ball.radius for ball in balls] == [0.07]
    np.testing.assert_allclose(balls[0].center, (0.4 + 0.6 * np.sin(0.3), 0.1 + 0.6 * np.cos(0.3)))
    spring = max(axes.lines, key=lambda line: len(line.get_xdata()))
    np.testing.assert_allclose(np.array(spring.get_xdata())[[0, -1]], (-1.2, 0.15), atol=1e-12)
    assert axes.get_xlim()[0] < -1.2


def test_plane_and_times_are_checked(four_bar: Run) -> None:
    with pytest.raises(SolveError, match="choose 'xy', 'xz', 'yz', 'space' or 'auto'"):
        four_bar.draw(plane="xyz")
    with pytest.raises(SolveError, match="between 0 and 1 s"):
        four_bar.draw(times=[0.5, 3.0])


@pytest.mark.parametrize("plane", ["xy", "yz", "space"])
def test_any_plane_of_view_can_be_chosen(cart: Run, tmp_path: Path, plane: str) -> None:
    cart.draw(plane=plane, path=tmp_path / "p.png", times=[0.0, 0.5])
    assert (tmp_path / "p.png").stat().st_size > 5000


def test_loaded_run_can_be_drawn(cart: Run, tmp_path: Path) -> None:
    again = load(cart.save(tmp_path / "r"))
    assert geometry(again) == json.loads(as_json(geometry(cart)))
    for a, b in zip(cart.draw().axes[0].lines, again.draw().axes[0].lines, strict=True):
        np.testing.assert_array_equal(a.get_xydata(), b.get_xydata())


def test_body_without_shape_becomes_a_skeleton() -> None:
    bar = outline({"com": (0.5, 0, 0), "joints": [(0, 0, 0), (1, 0, 0)], "shapes": []})
    assert len(bar.lines) == 1 and not bar.faces
    triangle = outline({"com": (0.5, 0.4, 0), "joints": [(0, 0, 0), (1, 0, 0)], "shapes": []})
    assert len(triangle.lines) == 3 and len(triangle.faces) == 1
    dot = outline({"com": (0, 0, 0), "joints": [], "shapes": []})
    assert len(dot.balls) == 1 and not dot.lines


def test_coil_ends_where_it_should() -> None:
    a, b = np.array([0.1, 0.2, 0.3]), np.array([1.0, -2.0, 0.5])
    points = coil(a, b, 0.05)
    np.testing.assert_array_equal(points[[0, -1]], [a, b])
    axis = (b - a) / np.linalg.norm(b - a)
    off = (points - a) - np.outer((points - a) @ axis, axis)
    assert np.max(np.linalg.norm(off, axis=1)) == pytest.approx(0.05)
    np.testing.assert_array_equal(coil(a, a, 0.05), [a, a])


def test_every_pose_has_a_time(four_bar: Run) -> None:
    figure = four_bar.draw(times=[0.0, 0.5, 1.0])
    texts = {text.get_text() for text in figure.axes[0].texts}
    assert {"0 s", "0.5 s", "1 s"} <= texts


def test_times_stand_apart_where_all_poses_share_their_highest_point() -> None:
    """A bar hangs from the ground: no time at the hinge, each at the end of its pose."""
    m = tr.Model("bar")
    bar = m.body("bar", mass=1.0, inertia=0.1, com=(0, 0, -0.5), shape=tr.shape.Rod((0, 0, 0), (0, 0, -1)))
    m.connect(tr.Revolute("y"), m.ground, bar, name="hinge")
    run = m.build().simulate(0.6, {"hinge.angle": 0.9}, samples=7)
    labels = run.draw(times=[0.0, 0.3, 0.4, 0.6]).axes[0].texts
    assert {label.get_text() for label in labels} == {"0 s", "0.3 s", "0.4 s", "0.6 s"}
    assert all(np.hypot(*label.xy) == pytest.approx(1.0) for label in labels)


def test_a_wheel_that_spins_fast_does_not_end_the_motion() -> None:
    """An arm carries a wheel of 100 rad/s: its poses are spread over the swing of the arm."""
    m = tr.Model("arm and wheel", gravity=(0, 0, 0))
    arm = m.body("arm", mass=1.0, inertia=0.1, com=(0.5, 0, 0))
    wheel = m.body("wheel", mass=1.0, inertia=0.1, shape=tr.shape.Disc(0.3, "x"))
    m.connect(tr.Revolute("z"), m.ground, arm, name="post")
    m.connect(tr.Revolute("x"), arm.at(1, 0, 0), wheel, name="axle")
    run = m.build().simulate(2.0, {"post.angle_rate": 0.9, "axle.angle_rate": 100.0}, samples=401)
    shown = sorted(float(label.get_text().split()[0]) for label in run.draw().axes[0].texts)
    assert len(shown) == 6 and shown[-1] > 1.5


def test_fast_motion_is_spread_over_the_run() -> None:
    """A small ball that moves by many times its size between two samples is not drawn at the first two only."""
    m = tr.Model("ball in a bowl")
    ball = m.body("ball", mass=1.0, inertia=1e-6, shape=tr.shape.Ball(0.005))
    m.connect(tr.HigherPair(tr.Sphere(1.0, inside=True), tr.Sphere(0.005)), m.ground, ball)
    run = m.build().simulate(1.0, {"ball.pitch": 0.9}, samples=41)
    figure = run.draw()
    last = max(float(text.get_text().split()[0]) for text in figure.axes[0].texts)
    assert last > 0.5
    assert any(len(line.get_xdata()) == 49 for line in figure.axes[0].lines)  # lines of the bowl


@pytest.mark.parametrize("plane", ["xz", "space"])
def test_a_machine_that_moves_far_is_also_shown_in_close_up(plane):
    """A bar of 1 m falls and drifts 60 m: it is 2 % of its path, and nearly all of each panel below."""
    m = tr.Model("bar", gravity=(0, 0, 0))
    bar = m.body("bar", mass=1.0, inertia=0.1, shape=tr.shape.Rod((-0.5, 0, 0), (0.5, 0, 0)))
    m.connect(tr.Free(), m.ground, bar)
    run = m.build().simulate(3.0, {"bar.velocity": (20.0, 0.0, 0.0)})
    whole, *panels = run.draw(plane=plane).axes
    assert len(panels) == 4 and np.ptp(whole.get_xlim()) > 60.0
    for panel, t in zip(panels, (0.0, 1.2, 1.8, 3.0), strict=True):
        middle = np.mean(panel.get_xlim())
        assert np.ptp(panel.get_xlim()) == pytest.approx(1.2) and middle == pytest.approx(20.0 * t, abs=0.02)
    assert run.draw(plane=plane, times=[0.0, 0.1]).axes[1:] == []  # it fills enough of the picture


def test_a_bowl_is_open_and_its_brim_level() -> None:
    """Of a hollow ball only the part is drawn in which something moves."""
    angle = np.linspace(-0.3, 0.7, 30)
    u, v = np.meshgrid(np.linspace(0, 2 * np.pi, 33), np.linspace(0, np.pi, 17), indexing="ij")
    ball = 2 * np.stack([np.cos(u) * np.sin(v), np.sin(u) * np.sin(v), np.cos(v)], axis=-1)
    made = bowl(ball, 2 * np.column_stack([np.sin(angle), 0 * angle, -np.cos(angle)]))
    np.testing.assert_allclose(np.linalg.norm(made, axis=-1), 2.0)
    brim = made[:, -1, 2]
    np.testing.assert_allclose(brim, brim[0], atol=1e-12)
    assert -1.2 < brim[0] < -0.8 and np.max(made[..., 2]) < brim[0] + 1e-9
    axes = examples.model("ball-in-bowl").build().simulate(1.0, samples=21).draw(plane="xz").axes[0]
    assert max(np.max(line.get_ydata()) for line in axes.lines) < 0.1  # the ball has a radius of 0.5 about the origin


def test_what_stands_on_the_ground_is_drawn_and_touches_nothing(tmp_path):
    m = tr.Model("kerb")
    m.connect(tr.Free(), m.ground, m.body("ball", mass=1.0, inertia=0.1, shape=tr.shape.Ball(0.1)))
    m.scenery = (tr.shape.Box((1.0, 1.0, 0.5), at=(0.0, 0.0, -0.25)),)
    run = m.build().simulate(1.0)
    assert run.values("ball.position")[-1, 2] == pytest.approx(-9.81 / 2)
    for shown in (run, tr.load(run.save(tmp_path / "kerb.nc"))):
        faces = [patch for patch in shown.draw(plane="xz").axes[0].patches if isinstance(patch, Polygon)]
        corners = np.vstack([face.get_xy() for face in faces])
        assert np.allclose([corners.min(axis=0), corners.max(axis=0)], [(-0.5, -0.5), (0.5, 0.0)])
    m.scenery = "a kerb"
    with pytest.raises(ModelError, match=r"model.scenery is 'a kerb': give a tuple of shapes"):
        m.build()
