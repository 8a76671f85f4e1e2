"""The scene of a run: plain arrays of all positions."""

import json
import subprocess
import sys

import numpy as np
import pytest

import trundle as tr
from trundle import examples
from trundle.errors import SolveError, StoreError, UnknownNameError
from trundle.run.run import Run
from trundle.run.surfaces import surfaces
from trundle.view.contact_states import COLOUR_OF_STATE, TOUCHES
from trundle.view.page.html import page
from trundle.view.page.pack import pack, unpack
from trundle.view.page.serve import Viewer
from trundle.view.scene import mesh
from trundle.view.scene.curves import curves, peaks, usual_names
from trundle.view.scene.make import make_scene
from trundle.view.scene.poses import chosen_samples
from trundle.view.scene.track import track


@pytest.fixture(scope="module")
def disc() -> Run:
    m = tr.Model("rolling disc")
    r = m.parameter("r", 0.5, "m")
    disc = m.body("disc", mass=1.0, inertia=(0.125, 0.25, 0.125))
    m.connect(tr.HigherPair(tr.Plane(), tr.Torus(r, 0.05)), m.ground.at(0, 0, 0.2), disc, law=tr.NoSlip())
    return m.build().simulate(1.0, {"disc.roll": 0.3, "disc.pitch_rate": 4.0}, samples=61)


def volume(made: mesh.Mesh) -> float:
    """By the divergence theorem; positive when triangles turn outwards."""
    a, b, c = (made.vertices[made.triangles[:, i]] for i in range(3))
    return float(np.sum(np.einsum("ij,ij->i", a, np.cross(b, c))) / 6)


@pytest.mark.parametrize(
    ("made", "expected", "within"),
    [
        (mesh.box((1.0, 2.0, 3.0), (5.0, 0.0, 0.0)), 6.0, 1e-12),
        (mesh.cylinder(0.5, 2.0), 0.5 * np.pi, 0.02),
        (mesh.sphere(1.0), 4 / 3 * np.pi, 0.05),
        (mesh.capsule(0.5, 2.0), 0.5 * np.pi + np.pi / 6, 0.05),
        (mesh.bar((0, 0, 0), (1, 1, 1), 0.1), np.pi * 0.01 * (np.sqrt(3) + 0.4 / 3), 0.05),
    ],
)
def test_solids_enclose_their_volume_and_normals_point_outwards(
    made: mesh.Mesh, expected: float, within: float
) -> None:
    assert abs(volume(made)) == pytest.approx(expected, rel=within)
    corners = made.vertices[made.triangles]
    flat = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    mean = made.normals[made.triangles].mean(axis=1)
    real = np.linalg.norm(flat, axis=1) > 1e-9
    side = np.sign(volume(made)) * np.einsum("ij,ij->i", flat, mean)[real]
    assert np.all(side > 0)
    assert np.allclose(np.linalg.norm(made.normals, axis=1), 1.0)


def test_poses_are_those_of_the_run(four_bar: Run) -> None:
    scene = make_scene(four_bar)
    i = scene.bodies.index("coupler")
    assert np.array_equal(scene.positions[:, i], four_bar.values("coupler.position"))
    w, x, y, z = scene.quaternions[:, i].T
    first = np.column_stack([1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)])
    assert np.allclose(first, four_bar.values("coupler.rotation")[:, :3], atol=1e-14)
    assert scene.planar is not None and not scene.travels
    assert len(scene.ghosts) == 6 and scene.ghosts[0] == 0.0 and scene.ghosts[-1] == pytest.approx(1.0)


def test_surfaces_pass_through_the_points_of_contact(disc: Run) -> None:
    plane, tyre = surfaces(disc)
    assert (plane.body, plane.kind, plane.flat) == ("ground", "Plane", True)
    assert np.allclose(plane.points[..., 2], 0.2)
    touched = disc.values("disc.contact_point")
    assert np.all(plane.points.reshape(-1, 3).min(axis=0)[:2] < touched.min(axis=0)[:2])
    assert np.all(plane.points.reshape(-1, 3).max(axis=0)[:2] > touched.max(axis=0)[:2])
    far = np.hypot(tyre.points[..., 0], tyre.points[..., 2])
    assert far.max() == pytest.approx(0.5) and tyre.spins  # the size is a parameter
    normal = mesh.grid(tyre.points)
    outwards = (
        normal.vertices
        - 0.45
        * normal.vertices
        * (1, 0, 1)
        / np.maximum(np.hypot(normal.vertices[:, 0], normal.vertices[:, 2]), 1e-9)[:, None]
    )
    assert np.all(np.einsum("ij,ij->i", outwards, normal.normals) > 0)


def test_file_gives_the_same_scene(disc: Run, tmp_path: object) -> None:
    again = tr.load(disc.save(f"{tmp_path}/disc.nc"))
    one, other = make_scene(disc), make_scene(again)
    assert np.array_equal(one.positions, other.positions) and one.floor == other.floor == 0.2
    assert [i.layer for i in one.items] == [i.layer for i in other.items]
    assert all(
        np.allclose(a.mesh.vertices, b.mesh.vertices, atol=1e-6) for a, b in zip(one.items, other.items, strict=True)
    )
    assert np.array_equal(one.arrows[0].vectors, other.arrows[0].vectors)


def test_long_result_is_thinned_out_with_a_note(disc: Run, tmp_path: object) -> None:
    path = disc.save(f"{tmp_path}/disc.nc")
    whole = tr.load(path).dataset.nbytes
    thin = tr.load(path, max_bytes=whole / 2.5)
    assert len(thin.time) == 21 and "one in 3 of 61" in thin.warnings[-1]
    assert "one in 3" in unpack(_data(page(thin)))["note"]


def test_contact_force_is_drawn_at_its_point(disc: Run) -> None:
    (arrow,) = [a for a in make_scene(disc).arrows if a.layer == "contact forces"]
    assert np.array_equal(arrow.points, disc.values("disc.contact_point"))
    assert np.allclose(arrow.vectors[:, 2], disc.values("disc.normal_force"))


def test_faces_of_shapes_and_forces_of_round_off_are_not_drawn() -> None:
    """A line on which a corner slides is as long as the contact came, a face as long as its box; a floating body has a
    reaction of zero.
    """
    m = tr.Model("corner on a box")
    table = m.body("table", mass=2.0, inertia=0.1, shape=tr.shape.Box((0.4, 0.2, 0.1)))
    m.connect(tr.Prismatic("x"), m.ground, table)
    stick = m.body("stick", mass=1.0, inertia=0.1, shape=tr.shape.Rod((0, 0, 0), (0, 0, 0.3)))
    m.connect(tr.Planar("y"), m.ground, stick, name="free")
    at = table.at(0, 0, 0.05)
    m.connect(tr.PlanarPair(tr.Line(), tr.Vertex()), at, stick, name="tip", restitution=0.0)
    m.start = {"stick.position": (0.1, 0, 0.2)}
    scene = make_scene(m.build().simulate(0.1, samples=5), plots=())
    drawn = [scene.bodies[item.body] for item in scene.items if item.layer == "surfaces"]
    assert "table" not in drawn and "stick" in drawn
    m = tr.Model("stone")
    m.connect(tr.Free(), m.ground, m.body("stone", mass=1.0, inertia=(0.1, 0.2, 0.3)))
    scene = make_scene(m.build().simulate(0.3, {"stone.angular_velocity": (0.3, 5.0, 0.2)}, samples=5), plots=())
    assert not [arrow for arrow in scene.arrows if arrow.layer == "reactions"] and scene.longest["reactions"] == 0.0


def test_ghosts_of_a_motion_that_comes_back_are_far_from_each_other() -> None:
    """Five turns of a crank: each fifth of its way is one turn, so equal parts of the way were all the same pose."""
    m = tr.Model("crank")
    m.gravity = (0, 0, 0)
    m.connect(tr.Revolute("y"), m.ground, m.body("crank", mass=1.0, inertia=0.1, com=(1, 0, 0)))
    scene = make_scene(m.build().simulate(5.0, {"crank.angle_rate": 2 * np.pi}, samples=401), plots=())
    turns = np.sort(np.mod(scene.ghosts, 1.0))
    assert len(turns) == 6 and np.min(np.diff([*turns, turns[0] + 1.0])) > 0.1


def test_points_whose_paths_can_be_shown(four_bar: Run) -> None:
    scene = make_scene(four_bar, plots=(), points={"tip": ("coupler", (1.0, 0.5, 0.0))})
    assert [p.name for p in scene.points] == ["tip", *(f"{n} (joint)" for n in ("crank", "rocker", "coupler", "pin"))]
    assert scene.bodies[scene.points[0].body] == "coupler" and scene.header()["points"][0]["at"][1] == 0.5
    for wrong in (("wheel", (0, 0, 0)), ("coupler", (0, 0)), ("coupler", (0, 0, np.nan))):
        with pytest.raises((UnknownNameError, SolveError)):
            make_scene(four_bar, plots=(), points={"tip": wrong})


def test_a_contact_without_friction_touches() -> None:
    m = tr.Model("ball")
    ball = m.body("ball", mass=1.0, inertia=(0.4, 0.4, 0.4))
    m.connect(tr.HigherPair(tr.Plane(), tr.Sphere(1.0)), m.ground, ball, name="floor", unilateral=True)
    run = m.build().simulate(0.1, {"ball.position": (0, 0, 1), "ball.velocity": (1, 0, 0)}, samples=5)
    (contact,) = make_scene(run, plots=()).contacts
    assert set(contact.states) == {TOUCHES} and "touching" in run["floor.state"].attrs["long_name"]
    figure = run.plot("ball.position_x", "floor.state")
    assert len(figure.axes) == 2  # the state is shown once: by its band
    assert [text.get_text() for text in figure.axes[1].get_legend().get_texts()] == ["touches"]


def test_samples_at_events_are_kept() -> None:
    class Long:
        time = np.linspace(0, 10, 5001)
        events = (("hit", 3.3333),)

    kept = chosen_samples(Long(), 100)  # type: ignore[arg-type]
    assert len(kept) < 110 and kept[0] == 0 and kept[-1] == 5000
    assert np.searchsorted(Long.time, 3.3333) in kept


def test_thinned_curve_keeps_its_peaks() -> None:
    rng = np.random.default_rng(5)
    values = rng.normal(size=100_000)
    values[71_234] = 50.0
    kept = peaks(values, 1000)
    assert len(kept) <= 1002 and 71_234 in kept and values[kept].min() == values.min()


def test_vector_gives_one_curve_for_each_component(disc: Run) -> None:
    assert [c.name for c in curves(disc, ["disc.position"])] == [f"disc.position_{a}" for a in "xyz"]
    with pytest.raises(UnknownNameError, match="disc"):
        list(curves(disc, ["disc.nonsense"]))


def test_track_follows_a_circle() -> None:
    angle = np.linspace(0, 1.0, 400)
    c, s, o = np.cos(angle), np.sin(angle), np.zeros(400)
    R = np.stack([np.stack([c, s, o], -1), np.stack([-s, c, o], -1), np.tile([0, 0, 1.0], (400, 1))], -1)
    p = 100 * np.column_stack([s, 1 - c, o])
    parts = list(track([(p, R), (p[40:], R[40:])], {"gauge": 1.5}))
    rails = [made.vertices for kind, made in parts if kind == "rail"]
    middle = [np.linalg.norm(v[30:-30, :2] - (0, 100), axis=1).mean() for v in rails]
    assert sorted(middle) == pytest.approx([99.25, 100.75], abs=0.03)


def test_packing_returns_what_was_given() -> None:
    values = {
        "name": "café $x$",
        "t": np.arange(5.0),
        "triangles": np.arange(6),
        "vertices": np.ones((2, 3)),
        "n": [1, None],
    }
    again = unpack(pack(values))
    assert again["name"] == values["name"] and again["n"] == [1, None]
    assert np.array_equal(again["t"], values["t"]) and again["triangles"].dtype == np.uint32
    assert again["vertices"].dtype == np.float32


def _data(text: str) -> str:
    return text.split('id="data">')[1].split("</script>")[0]


def test_page_is_safe_against_names_that_are_code(four_bar: Run) -> None:
    from trundle.view.page.html import fill

    text = fill("</title><script>alert(1)</script>", "AA==")
    assert "<script>alert(1)" not in text


def test_page_names_only_what_it_holds(four_bar: Run) -> None:
    data = unpack(_data(page(four_bar, plots=["crank.angle"])))
    assert data["names"] == ["crank.angle"] and data["scenes"][0]["chosen"] == ["crank.angle"]
    assert "rocker.reaction_force_x" in unpack(_data(page(four_bar, live=True)))["names"]


def test_bad_wishes_are_refused(four_bar: Run, tmp_path: object) -> None:
    with pytest.raises(StoreError, match=r"must end in \.html"):
        four_bar.save_html(f"{tmp_path}/page.pdf")
    with pytest.raises(StoreError, match="at least 2"):
        four_bar.save_html(f"{tmp_path}/page.html", frames=1)
    with pytest.raises(UnknownNameError):
        four_bar.save_html(f"{tmp_path}/page.html", plots=["crank.angel"])
    with pytest.raises(SolveError, match="port"):
        Viewer([four_bar], "", -3)


def test_a_port_in_use_is_reported_and_the_next_one_used(four_bar: Run) -> None:
    one = Viewer([four_bar], "first", 0)
    other = Viewer([four_bar], "second", one.port)
    assert other.port > one.port and str(one.port) in other.note and str(other.port) in other.note
    assert one.url.startswith("http://127.0.0.1:") and one._server.server_address[0] == "127.0.0.1"
    one.close()
    other.close()


def test_import_of_trundle_loads_none_of_it() -> None:
    code = "import sys, trundle, json; print(json.dumps([m for m in sys.modules]))"
    loaded = json.loads(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout)
    assert not [m for m in loaded if m.startswith(("trundle.view", "http.server", "matplotlib", "webbrowser"))]


def test_a_quantity_with_a_short_name_is_listed_once(disc: Run) -> None:
    m = tr.Model("named pendulum")
    m.connect(tr.Revolute("y"), m.ground, m.body("bar", mass=1.0, inertia=0.1, com=(0, 0, -1)))
    m.alias("swing", "bar.angle")
    names = usual_names(m.build().simulate(0.1, samples=5))
    assert "swing" in names and "bar.angle" not in names
    assert "disc.pitch" in usual_names(disc)  # without a short name it is there by its own


def test_equal_meshes_are_kept_once() -> None:
    """All links of a chain look the same."""
    scene = make_scene(examples.model("chain", n=5).build().simulate(0.1, samples=3))
    header = scene.header()
    assert len(header["meshes"]) < len(scene.items) / 3
    for item, packed in zip(scene.items, header["items"], strict=True):
        mesh = header["meshes"][packed["mesh"]]
        np.testing.assert_array_equal(mesh["vertices"], item.mesh.vertices)
        np.testing.assert_array_equal(mesh["normals"], item.mesh.normals)


def test_pins_of_a_long_chain_do_not_hide_its_links() -> None:
    scene = make_scene(examples.model("chain", n=20).build().simulate(0.1, samples=3))
    links = [item for item in scene.items if item.layer == "bodies"]
    pins = [item for item in scene.items if item.layer == "joints"]
    assert scene.size > 5.0 and len(pins) >= 20
    assert max(pin.mesh.extent() for pin in pins) < min(link.mesh.extent() for link in links) / 2


# Machado, Oliveira and Fernandes 2009: what eyes without one kind of cone see, for linear red, green, blue.
EYES = {
    "usual": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.01182, 0.04294, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.3039)),
}


@pytest.mark.parametrize("eye", EYES)
def test_colours_of_contact_states_suit_colour_blind_readers(eye: str) -> None:
    """Distances in CIELAB, where 2.3 is just noticeable."""
    colours = np.array([COLOUR_OF_STATE[state] for state in sorted(COLOUR_OF_STATE)])
    linear = np.where(colours <= 0.04045, colours / 12.92, ((colours + 0.055) / 1.055) ** 2.4)
    seen = np.clip(linear @ np.array(EYES[eye]).T, 0, 1)
    xyz = seen @ np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]).T
    ratio = xyz / (0.9505, 1.0, 1.089)
    f = np.where(ratio > 0.008856, np.cbrt(ratio), 7.787 * ratio + 16 / 116)
    lab = np.column_stack([116 * f[:, 1] - 16, 500 * (f[:, 0] - f[:, 1]), 200 * (f[:, 1] - f[:, 2])])
    apart = np.linalg.norm(lab[:, None] - lab, axis=2) + 1e9 * np.eye(len(lab))
    assert np.min(apart) > 25.0
