"""Surfaces given by expressions: those that are also swept by screws are the same; every one passes the same checks."""

from dataclasses import dataclass
from math import pi
from typing import Any, final

import casadi as ca
import numpy as np
import pytest

import trundle as tr
from trundle.errors import ModelError
from trundle.pairs import ParametricSurface, Surface, surfaces
from trundle.pairs.chart import SurfaceCoordinate
from trundle.space.rotation import quaternion_from_rotation


def tyre(y: Any) -> Any:
    return 0.7 + tr.sqrt(0.09 - y**2)


def egg(y: Any) -> Any:
    """The profile of Ellipsoid(0.5, 0.8, 0.5)."""
    return 0.5 * tr.sqrt(1 - (y / 0.8) ** 2)


EVERY: tuple[ParametricSurface, ...] = (
    tr.Ellipsoid(0.5, 0.8, 0.3),
    tr.Ellipsoid(3.0, 4.0, 5.0, inside=True),
    tr.Revolved(tyre, -0.29, 0.29),
    tr.Revolved(lambda y: 2 + 0.3 * tr.sin(y), -2.0, 2.0, inside=True),
)


def title(surface: Surface) -> str:
    return f"{type(surface).__name__}{' hollow' if surface.hollow else ''}"


def places(surface: Surface, count: int = 20) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates at random, away from the ends."""
    rng = np.random.default_rng(3)
    low, high = np.array(surface.ranges()).T
    a, b = (0.5 * (low + high) + 0.45 * (high - low) * rng.uniform(-1, 1, (count, 2))).T
    return a, b


def test_every_kind_has_a_sample() -> None:
    kinds = {kind for kind in surfaces(of_user=False) if issubclass(kind, ParametricSurface)}
    assert {type(s) for s in EVERY} == kinds


@pytest.mark.parametrize("surface", EVERY, ids=title)
def test_tangents_normals_and_curvatures_are_derivatives(surface: Surface) -> None:
    a, b = places(surface)
    x_a, x_b = surface.tangents(a, b)
    n, h = surface.normal(a, b), 1e-6
    np.testing.assert_allclose(x_a, (surface.point(a + h, b) - surface.point(a - h, b)) / (2 * h), atol=1e-8)
    np.testing.assert_allclose(x_b, (surface.point(a, b + h) - surface.point(a, b - h)) / (2 * h), atol=1e-8)
    np.testing.assert_allclose(np.linalg.norm(n, axis=-1), 1, atol=1e-14)
    for x in (x_a, x_b):
        np.testing.assert_allclose(np.sum(n * x, axis=-1), 0, atol=1e-13)
    curvatures, directions = surface.curvatures(a, b)
    for k in range(2):  # dn = curvature dx along a principal direction
        e = directions[:, k]
        frames = np.stack([x_a, x_b], axis=-1)
        ways = np.array([np.linalg.lstsq(frame, v, rcond=None)[0] for frame, v in zip(frames, e, strict=True)])
        changed = surface.normal(a + h * ways[:, 0], b + h * ways[:, 1])
        changed = (changed - surface.normal(a - h * ways[:, 0], b - h * ways[:, 1])) / (2 * h)
        np.testing.assert_allclose(changed, curvatures[:, k : k + 1] * e, atol=1e-7)


@pytest.mark.parametrize("surface", EVERY, ids=title)
def test_contact_axes_turn_as_on_the_tape(surface: Surface) -> None:
    """Axes are orthonormal, z is the normal, and their turns are those of finite differences."""
    q = ca.SX.sym("q", 2)
    at = surface.chart().place(q[0], q[1])
    f = ca.Function("at", [q], [at.R, at.point, *at.moves, *at.turns])
    h = 1e-6
    for a, b in zip(*places(surface, 4), strict=True):
        R, point, *rest = (np.array(v) for v in f([a, b]))
        np.testing.assert_allclose(R.T @ R, np.eye(3), atol=1e-14)
        np.testing.assert_allclose(R[:, 2], surface.normal(a, b), atol=1e-14)
        np.testing.assert_allclose(point.ravel(), surface.point(a, b), atol=1e-14)
        for k, step in enumerate(([h, 0], [0, h])):
            np.testing.assert_allclose(rest[k].ravel(), surface.tangents(a, b)[k], atol=1e-13)
            ahead, behind = (np.array(f(np.array([a, b]) + s * np.array(step))[0]) for s in (1, -1))
            W = (ahead - behind) / (2 * h) @ R.T
            np.testing.assert_allclose([W[2, 1], W[0, 2], W[1, 0]], rest[2 + k].ravel(), atol=1e-7)


@pytest.mark.parametrize("surface", EVERY, ids=title)
def test_closest_points_are_found_and_beat_a_fine_grid(surface: Surface) -> None:
    a, b = places(surface)
    depth = 0.05 * np.linspace(-1, 1, 20)
    points = surface.point(a, b) + depth[:, None] * surface.normal(a, b)
    found_a, found_b, distance = surface.closest(points)
    np.testing.assert_allclose(surface.point(found_a, found_b), surface.point(a, b), atol=1e-9)
    np.testing.assert_allclose(distance, depth, atol=1e-12)
    far = np.random.default_rng(4).normal(size=(15, 3))
    grid = np.stack(surface.mesh(count=(181, 91)), axis=-1).reshape(-1, 3)
    least = np.min(np.linalg.norm(grid - far[:, None], axis=-1), axis=-1)
    assert np.all(np.abs(surface.closest(far)[2]) <= least + 1e-12)


def test_what_is_also_swept_by_screws_is_the_same() -> None:
    rng = np.random.default_rng(1)
    points, (a, b) = rng.normal(size=(40, 3)), rng.uniform(-1.2, 1.2, (2, 20))
    pairs = [
        (tr.Ellipsoid(0.7, 0.7, 0.7), tr.Sphere(0.7), b, b),
        (tr.Revolved(tyre, -0.29, 0.29), tr.Torus(1.0, 0.3), -0.3 * np.sin(b), b),
        (tr.Revolved(lambda y: 0.5 + np.tan(0.4) * y, -1.0, 2.0), tr.Cone(0.5, 0.4), b * np.cos(0.4), b),
        (tr.Revolved(egg, -0.79, 0.79), tr.Ellipsoid(0.5, 0.8, 0.5), -0.8 * np.sin(b), b),
    ]
    for one, other, along, same in pairs:
        np.testing.assert_allclose(one.point(a, along), other.point(a, same), atol=1e-14)
        np.testing.assert_allclose(one.normal(a, along), other.normal(a, same), atol=1e-14)
        np.testing.assert_allclose(one.curvatures(a, along)[0], other.curvatures(a, same)[0], rtol=1e-11, atol=1e-12)
    for one, other, _, _ in pairs[:1]:
        np.testing.assert_allclose(one.closest(points)[2], other.closest(points)[2], atol=1e-10)


def test_curvatures_of_an_ellipsoid_in_closed_form() -> None:
    """Gauss: 1 / (abc)^2 p^4; sum: p^3 (x^2 + y^2 + z^2 - a^2 - b^2 - c^2) / -(abc)^2, with p the distance of the
    tangent plane from the middle.
    """
    half = np.array([0.5, 0.8, 0.3])
    surface = tr.Ellipsoid(*half)
    x = surface.point(*places(surface))
    p = 1 / np.sqrt(np.sum(x**2 / half**4, axis=-1))
    found, _ = surface.curvatures(*places(surface))
    product = np.prod(half) ** 2
    np.testing.assert_allclose(found[:, 0] * found[:, 1], p**4 / product, rtol=1e-11)
    np.testing.assert_allclose(
        np.sum(found, axis=-1), p**3 * (np.sum(half**2) - np.sum(x**2, -1)) / product, rtol=1e-11
    )


# -- in contact --------------------------------------------------------------------------------------------------------


def model(pair: tr.HigherPair, law: Any = None, **options: Any) -> tr.Model:
    m = tr.Model("contact", gravity=(0.3, -0.2, -9.0))
    body = m.body("body", mass=1.0, inertia=(0.3, 0.25, 0.2), com=(0.1, 0.05, -0.07))
    m.connect(pair, m.ground.at(0.1, 0.2, 0.3), body.at(0.05, 0.0, -0.1), law=law, name="contact", **options)
    return m


def state_of(run: Any, at: int = 0) -> dict[str, Any]:
    """The state of the free body in a run."""
    R = run.values("body.rotation")[at].reshape(3, 3).T
    found = {f"body.{k}": run.values("body.position")[at][i] for i, k in enumerate("xyz")}
    found |= {f"body.{k}_rate": run.values("body.velocity")[at][i] for i, k in enumerate("xyz")}
    return found | {
        "body.quaternion": quaternion_from_rotation(R),
        "body.angular_rate": R.T @ run.values("body.angular_velocity")[at],
    }


OTHERS: dict[str, Surface] = {
    "plane": tr.Plane(),
    "ball": tr.Sphere(0.5),
    "tyre": tr.Torus(0.8, 0.2),
    "bar": tr.Cylinder(1.3),
}
TWINS: dict[str, tuple[Surface, Surface, dict[str, float]]] = {
    "tyre": (tr.Torus(1.0, 0.3), tr.Revolved(tyre, -0.29, 0.29), {"roll": -0.2}),
    "ball": (tr.Sphere(0.7), tr.Ellipsoid(0.7, 0.7, 0.7), {}),
    "cone": (tr.Cone(1.0, 0.3), tr.Revolved(lambda y: 1.0 + np.tan(0.3) * y, -2.0, 2.0), {}),
}


@pytest.mark.parametrize("law", [None, tr.NoSlip()], ids=["sliding", "rolling"])
@pytest.mark.parametrize(
    ("other", "twin"),
    [("plane", "tyre"), ("ball", "tyre"), ("tyre", "tyre"), ("plane", "ball"), ("tyre", "ball"), ("bar", "ball"),
     ("ball", "cone")],
)  # fmt: skip
def test_contacts_move_as_those_of_the_swept_twin(other: str, twin: str, law: Any) -> None:
    """Accelerations, forces and motion of a chain of screws against expressions."""
    swept, given, start = TWINS[twin]
    tree = model(tr.HigherPair(OTHERS[other], swept), law).build()
    beside = model(tr.HigherPair(OTHERS[other], given), law).build()
    known = {c.name.partition(".")[2]: c for c in tree.formulation.layout.coordinates}
    start = {f"contact.{k}": v for k, v in start.items() if k in known}
    rng = np.random.default_rng(7)
    start |= {c.rate_name: 0.3 * rng.normal() for c in known.values() if c.n_u == 1}
    first = tree.simulate(0.3, start, samples=4, rtol=1e-11, atol=1e-11)
    second = beside.simulate(0.3, state_of(first), samples=4, rtol=1e-11, atol=1e-11)
    assert first.ok and second.ok, second.outcome
    assert second.initial is not None and not second.initial.changed
    for name in ("position", "rotation", "velocity", "angular_velocity", "acceleration", "angular_acceleration"):
        np.testing.assert_allclose(second.values(f"body.{name}"), first.values(f"body.{name}"), rtol=0, atol=1e-9)
    for name in ("normal_force", "contact_point", "spin", "relative_curvature", "reaction_force"):
        if name == "relative_curvature" and f"contact.{name}" not in first.dataset:
            continue
        np.testing.assert_allclose(second.values(f"contact.{name}"), first.values(f"contact.{name}"), rtol=0, atol=2e-9)
    slips = [np.hypot(run.values("contact.slip_x"), run.values("contact.slip_y")) for run in (first, second)]
    np.testing.assert_allclose(slips[1], slips[0], rtol=0, atol=1e-9)
    assert second.energy.drift < 1e-9


LAWS: dict[str, tuple[Any, dict[str, Any]]] = {
    "coulomb": (tr.Coulomb(0.3), {}),
    "spin": ([tr.NoSlip(), tr.NoSpin()], {}),
    "unilateral": (tr.Coulomb(0.4), {"unilateral": True, "restitution": tr.Newton(0.5)}),
    "yielding": (tr.RegularisedCoulomb(0.3), {"compliance": tr.HuntCrossley(1e4, 0.3)}),
    "smooth": (tr.Stribeck(0.4, 0.3, 0.1), {}),
}


@pytest.mark.parametrize("kind", LAWS)
@pytest.mark.parametrize("twin", ["ball", "tyre"])
def test_every_law_of_contact_works_on_expressions(twin: str, kind: str) -> None:
    """Sticking, sliding, opening, striking and yielding: as on the surface that screws sweep."""
    law, options = LAWS[kind]
    law = None if (twin, kind) == ("tyre", "yielding") else law  # the point of friction differs by the overlap
    swept, given, _ = TWINS[twin]
    height = 0.06 if options else 0.0
    runs = []
    for surface in (swept, given):
        m = model(tr.HigherPair(tr.Plane(), surface), law, **options)
        m.connect(tr.Free(), m.ground, m.bodies["body"], name="body", law={"x": tr.Damper(0.0)})  # is in the tree
        system = m.build()
        z = 0.4 + (swept.radius if isinstance(swept, tr.Sphere) else 1.0) + height
        turn = tr.rotation("x", 0.2) @ tr.rotation("z", 0.3)
        start = {"body.x": 0.0, "body.y": 0.0, "body.z": z, "body.quaternion": quaternion_from_rotation(turn)}
        start |= {"body.x_rate": 0.6, "body.y_rate": 0.2}
        start |= {} if kind == "spin" else {"body.angular_rate": (0.5, 1.0, 0.3)}
        small = 1e-12 if kind == "yielding" else 1e-10
        runs.append(system.simulate(0.5, start, samples=6, rtol=small, atol=small))
    first, second = runs
    assert first.ok and second.ok, (first.outcome, second.outcome)
    for name in ("position", "rotation", "velocity"):
        np.testing.assert_allclose(second.values(f"body.{name}"), first.values(f"body.{name}"), rtol=0, atol=2e-7)
    assert second.energy.drift < 1e-6
    told = [run.events[:3] for run in runs]  # later bounces follow each other without end
    assert [name for name, _ in told[0]] == [name for name, _ in told[1]]
    assert [t for _, t in told[0]] == pytest.approx([t for _, t in told[1]], abs=1e-9)


def test_distance_of_an_ellipsoid_from_a_plane_in_closed_form() -> None:
    """h - sqrt(a^2 nx^2 + b^2 ny^2 + c^2 nz^2), with n the normal of the plane in axes of the ellipsoid."""
    half = np.array([0.3, 0.5, 0.2])
    for pair, side in (
        (tr.HigherPair(tr.Plane(), tr.Ellipsoid(*half)), 1),
        (tr.HigherPair(tr.Ellipsoid(*half), tr.Plane()), -1),
    ):
        m = tr.Model("apart", gravity=(0, 0, 0))
        body = m.body("body", 1.0, (0.1, 0.2, 0.3))
        m.connect(pair, *((m.ground, body) if side > 0 else (body, m.ground)), name="contact", unilateral=True)
        system = m.build()
        rng = np.random.default_rng(2)
        for _ in range(5):
            q = rng.normal(size=4)
            start = {"body.z": 3.0, "body.quaternion": q / np.linalg.norm(q)}
            run = system.simulate(0.01, start, samples=2)
            n = run.values("body.rotation")[0].reshape(3, 3).T[2]
            assert run.values("contact.gap")[0] == pytest.approx(3.0 - np.sqrt(np.sum(half**2 * n**2)), abs=1e-14)
            at = tr.Ellipsoid(*half).normal(run.values("contact.pitch")[0], run.values("contact.roll")[0])
            np.testing.assert_allclose(at, -n, atol=1e-12)


def test_formalisms_agree_on_an_ellipsoid_that_rolls_on_an_egg() -> None:
    pair = tr.HigherPair(tr.Revolved(egg, -0.79, 0.79), tr.Ellipsoid(0.3, 0.4, 0.2))
    kane = model(pair, tr.NoSlip()).build()
    systems = [kane, *(kane.in_formalism(f) for f in ("newton_euler", "udwadia_kalaba"))]
    start = {"body.z": 1.0, "body.angular_rate": (0.2, -0.3, 0.5)}
    runs = [system.simulate(0.15, start, samples=3, rtol=1e-11, atol=1e-11) for system in systems]
    for run in runs[1:]:
        for name in ("body.position", "body.rotation", "body.acceleration", "contact.normal_force", "contact.slip_x"):
            np.testing.assert_allclose(run.values(name), runs[0].values(name), rtol=0, atol=1e-8)


def test_relative_curvature_at_a_vertex_of_two_ellipsoids() -> None:
    """Where both axes agree the relative curvatures are c/a^2 + c'/a'^2 and c/b^2 + c'/b'^2."""
    pair = tr.HigherPair(tr.Ellipsoid(0.5, 0.8, 0.3), tr.Ellipsoid(0.4, 0.3, 0.2))
    m = tr.Model("stacked")
    body = m.body("body", 1.0, (0.1, 0.2, 0.3))
    m.connect(pair, m.ground, body, name="contact")
    found = m.build().simulate(1e-3, {"body.z": 0.5}, samples=2)
    expected = min(0.3 / 0.25 + 0.2 / 0.16, 0.3 / 0.64 + 0.2 / 0.09)
    assert found.values("contact.relative_curvature")[0] == pytest.approx(expected, rel=1e-9)


def test_a_pair_beside_the_tree_is_reported() -> None:
    text = model(tr.HigherPair(tr.Plane(), tr.Ellipsoid(0.3, 0.2, 0.1)), tr.NoSlip()).build().describe()
    assert "never a joint of the tree, since no screws sweep the Ellipsoid" in text
    with pytest.raises(ModelError, match="not a chain of screws"):
        tr.HigherPair(tr.Plane(), tr.Ellipsoid(0.3, 0.2, 0.1)).chain()


def test_a_run_ends_at_the_end_of_a_profile() -> None:
    """A ball that slides along a bar of revolution reaches its end at a time in closed form."""
    m = tr.Model("bar", gravity=(0, 0, 0))
    body = m.body("body", 1.0, (0.1, 0.1, 0.1))
    bar = tr.Revolved(lambda y: 0.5 + 0 * y, -1.0, 1.0)
    m.connect(tr.HigherPair(bar, tr.Sphere(0.2)), m.ground, body, name="contact")
    run = m.build().simulate(3.0, {"body.x": 0.0, "body.y": 0.0, "body.z": 0.7, "body.y_rate": 0.5})
    assert run.outcome.startswith("SURFACE_LEFT") and "Revolved" in run.outcome
    assert run.trajectory is not None and run.trajectory.t_end == pytest.approx(2.0, abs=1e-8)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: tr.Ellipsoid(0.3, 0.0, 0.1), "b must be greater than zero"),
        (lambda: tr.Ellipsoid(0.3, float("nan"), 0.1), "b must be a finite number"),
        (lambda: tr.Revolved(lambda y: y, -1.0, 1.0), "greater than zero everywhere"),
        (lambda: tr.Revolved(lambda y: 1.0, 1.0, -1.0), "low must be less than high"),
        (lambda: tr.Revolved(lambda y: float(y), 0.1, 1.0), "functions of math come from trundle"),
        (lambda: tr.Revolved(lambda y: [y, y], 0.1, 1.0), "one number"),
        (lambda: tr.HigherPair(tr.Plane(), tr.Ellipsoid(0.3, 0.2, 0.1, inside=True)), "cannot touch a plane"),
        (lambda: tr.HigherPair(tr.Ellipsoid(0.3, 0.2, 0.1, inside=True), tr.Sphere(1.0)), "too narrow"),
        (lambda: tr.Ellipsoid(0.3, 0.2, 0.1).offset(0.1), "offset"),
    ],
)
def test_what_cannot_be_is_refused(make: Any, words: str) -> None:
    with pytest.raises(ModelError, match=words):
        make()


def test_sizes_and_profiles_may_be_parameters() -> None:
    """A swept parameter changes the surface without compiling again; also through a frozen and pickled model."""
    m = tr.Model("tunable")
    c, r = m.parameter("c", 0.2), m.parameter("r", 0.5)
    for name, surface in (("egg", tr.Ellipsoid(0.3, 0.2, c)), ("barrel", tr.Revolved(lambda y: r - y**2, -0.1, 0.1))):
        body = m.body(name, 1.0, (0.1, 0.1, 0.1))
        m.connect(tr.HigherPair(tr.Plane(), surface), m.ground, body, name=f"{name} road")
    system = m.build()
    for values in ({}, {"c": 0.25, "r": 0.4}):
        run = system.simulate(0.01, {"egg.x": 3.0}, parameters=values, samples=2)
        assert run.values("egg.z")[0] == pytest.approx(values.get("c", 0.2), abs=1e-12)
        assert run.values("barrel.z")[0] == pytest.approx(values.get("r", 0.5), abs=1e-12)


@final
@dataclass(frozen=True)
class Cushion(ParametricSurface):
    """A surface of a user: z = height cos x cos y above the x, y plane."""

    height: Any  # m

    def span(self) -> tuple[SurfaceCoordinate, SurfaceCoordinate]:
        return tuple(SurfaceCoordinate(n, -pi / 2, pi / 2, slides=True, ends=True) for n in ("x", "y"))  # type: ignore

    def locate(self, x: Any, y: Any) -> tuple[Any, Any, Any]:
        return x, y, self.height * tr.cos(x) * tr.cos(y)


def test_a_ball_on_a_surface_of_the_user() -> None:
    """Small vibrations of a bead in the middle of a hollow: omega^2 = g * height."""
    m = tr.Model("hollow", gravity=(0, 0, -9.81))
    bead = m.body("bead", 1.0, (1e-3,) * 3)
    m.connect(tr.HigherPair(Cushion(-0.3), tr.Vertex()), m.ground, bead, name="bowl")
    modes = m.build().linearise({"bead.z": -0.3}).eigenvalues
    assert np.min(np.abs(modes - 1j * np.sqrt(9.81 * 0.3))) < 1e-9
