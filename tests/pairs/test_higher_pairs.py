"""Every admissible pair of surfaces, edges and vertices: in the tree as closing a loop, touching at every pose."""

from functools import cache
from itertools import product
from typing import Any

import casadi as ca
import numpy as np
import pytest

import trundle as tr
from trundle.errors import ModelError
from trundle.pairs import ParametricSurface, Surface, edges, surfaces

SAMPLES: dict[str, Surface] = {
    "Plane": tr.Plane(),
    "Cylinder": tr.Cylinder(1.0),
    "Cone": tr.Cone(1.0, 0.3),
    "Torus": tr.Torus(1.0, 0.2),
    "Sphere": tr.Sphere(0.7),
    "SpiralColumn": tr.SpiralColumn(1.0, 0.5, 0.2),
    "TangentSurface": tr.TangentSurface(1.0, 1.0, 2.0),
    "CircleEdge": tr.CircleEdge(0.8),
    "LineEdge": tr.LineEdge(),
    "HelixEdge": tr.HelixEdge(1.0, 0.3),
    "Vertex": tr.Vertex(),
    "pipe": tr.Cylinder(4.0, inside=True),
    "funnel": tr.Cone(4.0, 0.3, inside=True),
    "bowl": tr.Sphere(3.0, inside=True),
    "hollow tyre": tr.Torus(1.0, 3.0, inside=True),
}
START = (0.15, -0.2, 0.6, 0.1, -0.25)
RATES = (0.3, -0.1, 0.2, 0.25, -0.4)


@cache
def admissible() -> list[tuple[str, str]]:
    found = []
    for a, b in product(SAMPLES, SAMPLES):
        try:
            tr.HigherPair(SAMPLES[a], SAMPLES[b])
            found.append((a, b))
        except ModelError:
            continue
    return found


def model(pair: tr.HigherPair, law: tr.NoSlip | None = None) -> tr.Model:
    m = tr.Model("contact", gravity=(0.3, -0.2, -1.0))
    body = m.body("body", mass=1.0, inertia=(0.3, 0.25, 0.2), com=(0.1, 0.05, -0.07))
    m.connect(pair, m.ground.at(0.1, 0.2, 0.3), body.at(0.05, 0.0, -0.1), law=law)
    return m


def start(pair: tr.HigherPair, rates: bool = True) -> dict[str, float]:
    names = [step.name for step in pair.chain().steps if step.n_u == 1]
    values = {f"body.{name}": value for name, value in zip(names, START[-len(names) :], strict=True)}
    if rates:
        values |= {f"body.{name}_rate": value for name, value in zip(names, RATES[-len(names) :], strict=True)}
    return values


def test_every_surface_is_sampled() -> None:
    swept = [c for c in (*surfaces(of_user=False), *edges(of_user=False)) if not issubclass(c, ParametricSurface)]
    assert {c.__name__ for c in swept} <= set(SAMPLES)
    pairs = admissible()
    outer = [(a, b) for a, b in pairs if a[0].isupper() and b[0].isupper()]
    smooth = [c.__name__ for c in swept if c.dimension == 2]
    of_surfaces = {frozenset(p) for p in outer if p[0] in smooth and p[1] in smooth}
    assert len(of_surfaces) == 28 - 4  # all but plane with plane, cylinder, cone, tangent surface
    assert all((b, a) in pairs for a, b in pairs)


@pytest.mark.parametrize(("a", "b"), admissible(), ids=str)
def test_chain_touches_at_every_pose(a: str, b: str) -> None:
    """At random coordinates the swept points coincide and the normals are opposite, in plain numbers."""
    pair = tr.HigherPair(SAMPLES[a], SAMPLES[b])
    chain = pair.chain()
    assert chain.n_u == 5
    q = ca.SX.sym("q", chain.n_q)
    pose = ca.Function("pose", [q], list(chain.pose(q)))
    rng = np.random.default_rng(5)
    A, B = pair.sweeps
    names = [step.name for step in chain.steps]
    for _ in range(5):
        values = dict(zip(names, 0.4 * rng.normal(size=len(names)), strict=True))
        parts = [_unit(rng.normal(size=4)) if s.n_q == 4 else [values[s.name]] for s in chain.steps]
        R, p = (np.array(v) for v in pose(np.concatenate(parts)))
        sides = [_swept(sweep, values) for sweep in (A, B)]
        if pair.second.ball is not None:  # the centre of the ball stands over the point on the first surface
            (x, n), centre = sides[0], p.ravel()
            assert centre - pair.second.ball * n == pytest.approx(x, abs=1e-12)
        elif pair.first.ball is not None:
            x, n = R @ sides[1][0] + p.ravel(), R @ sides[1][1]
            assert x + pair.first.ball * n == pytest.approx([0, 0, 0], abs=1e-12)
        else:
            assert R @ sides[1][0] + p.ravel() == pytest.approx(sides[0][0], abs=1e-12)
            assert R @ sides[1][1] == pytest.approx(-sides[0][1], abs=1e-12)


def _unit(q: np.ndarray) -> np.ndarray:
    return q / np.linalg.norm(q)


def _swept(sweep, values: dict[str, float]) -> tuple[np.ndarray, np.ndarray]:
    """Point and normal of a surface at coordinates by name, by composing the two screws."""
    a, b = values.get(sweep.first.name, 0.0), values.get(sweep.second.name, 0.0)
    (R1, p1), (R2, p2) = (tuple(np.array(ca.DM(v)) for v in s.pose(ca.SX(x)))
                          for s, x in ((sweep.first, a), (sweep.second, b)))  # fmt: skip
    point, normal = np.array(ca.DM(sweep.contact.p)), sweep.contact.R[:, 2:]
    return (R1 @ (R2 @ point + p2) + p1).ravel(), (R1 @ R2 @ normal).ravel()


def every_other(pairs: list[tuple[str, str]]) -> list[Any]:
    """Each surface with half of the others; the rest is left to the long studies."""
    return [pytest.param(*p, marks=() if k % 2 == 0 else pytest.mark.slow) for k, p in enumerate(pairs)]


@pytest.mark.parametrize(("a", "b"), every_other([p for p in admissible() if p[0] <= p[1] or "ball" in p]), ids=str)
def test_tree_joint_equals_loop_closer(a: str, b: str) -> None:
    """Accelerations, reactions and contact forces of a rolling body: chain coordinates against contact rows."""
    pair = tr.HigherPair(SAMPLES[a], SAMPLES[b])
    m = model(pair, tr.NoSlip())
    state = {
        k: v for k, v in start(pair).items() if not k.endswith("_rate") or k.endswith(("pitch_rate", "angle_rate"))
    }
    system = m.build()
    tree, loop = system.accelerations(state), system.in_formalism("newton_euler").accelerations(state)
    both_balls = pair.first.ball is not None and pair.second.ball is not None
    for name, value in loop.items():
        if both_balls and "slip_force" in name:
            continue  # along and across are a convention of each way there; the reaction force is compared
        assert tree[name] == pytest.approx(value, abs=2e-9 * (1 + np.max(np.abs(value)))), name


@pytest.mark.parametrize(
    ("a", "b"),
    [("Plane", "Torus"), ("Sphere", "Plane"), ("pipe", "Sphere"), ("Cone", "Torus"), ("SpiralColumn", "Cylinder"),
     ("Sphere", "TangentSurface"), ("CircleEdge", "LineEdge"), ("Torus", "Vertex"), ("bowl", "Torus")],
    ids=str,
)  # fmt: skip
def test_equal_motion(a: str, b: str) -> None:
    pair = tr.HigherPair(SAMPLES[a], SAMPLES[b])
    m = model(pair)
    kane = m.build()
    runs = [s.simulate(0.6, start(pair), rtol=1e-11, atol=1e-11) for s in (kane, kane.in_formalism("newton_euler"))]
    for name in ("body.position", "body.rotation", "body.contact_point"):
        assert runs[0].values(name) == pytest.approx(runs[1].values(name), abs=2e-9)
    assert np.max(np.abs(runs[1].values("body.gap"))) < 1e-12
    assert np.max(np.abs(runs[0].energy.imbalance)) < 1e-9


@pytest.mark.parametrize(
    ("a", "b", "words"),
    [
        (tr.Plane(), tr.Plane(), "Planar"),
        (tr.Plane(), tr.Cylinder(1.0), "line"),
        (tr.Cone(1.0, 0.2), tr.Plane(), "line"),
        (tr.Plane(), tr.TangentSurface(1.0, 1.0, 1.0), "line"),
        (tr.Plane(), tr.LineEdge(), "line"),
        (tr.Vertex(), tr.CircleEdge(1.0), "vertex on an edge"),
        (tr.Vertex(), tr.Vertex(), "Spherical"),
        (tr.Plane(), tr.Sphere(1.0, inside=True), "hollow"),
        (tr.Sphere(1.0, inside=True), tr.Sphere(2.0), "does not fit"),
        (tr.Sphere(1.0, inside=True), tr.Sphere(1.0), "Spherical"),
        (tr.Sphere(1.0, inside=True), tr.Sphere(1.0, inside=True), "hollow"),
    ],
)
def test_excluded_pairs_are_refused_with_the_reason(a: Surface, b: Surface, words: str) -> None:
    with pytest.raises(ModelError, match=words) as error:
        tr.HigherPair(a, b)
    assert type(a).__name__ in str(error.value) and type(b).__name__ in str(error.value)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: tr.Sphere(-1.0), "radius must be greater than zero"),
        (lambda: tr.Torus(0.3, 0.4), "does not fit"),
        (lambda: tr.Torus(0.3, -0.1), "negative"),
        (lambda: tr.Cone(0.3, 0.0), "half angle"),
        (lambda: tr.Cylinder(float("nan")), "finite"),
        (lambda: tr.SpiralColumn(1.0, 1.0, 2.5), "folds over itself"),
        (lambda: tr.SpiralColumn(1.0, 0.0, 0.5), "Torus"),
        (lambda: tr.TangentSurface(1.0, 1.0, 0.0), "cusp"),
        (lambda: tr.HigherPair(tr.Plane(), 3.0), "surfaces"),
    ],
)
def test_invalid_sizes(make, words: str) -> None:
    with pytest.raises(ModelError, match=words):
        make()


def test_names_that_both_surfaces_use_are_distinguished() -> None:
    names = [s.name for s in tr.HigherPair(tr.Torus(1.0, 0.1), tr.Torus(2.0, 0.3)).chain().steps]
    assert names == ["first_pitch", "first_roll", "yaw", "second_roll", "second_pitch"]
    assert [s.name for s in tr.HigherPair(tr.Plane(), tr.CircleEdge(1.0)).chain().steps] == [
        "x",
        "y",
        "yaw",
        "roll",
        "pitch",
    ]


def test_sizes_may_be_parameters() -> None:
    """Radius as a parameter: a heavier hoop rolls the same after the radius is changed without building again."""
    m = tr.Model("hoop")
    radius = m.parameter("radius", 0.3, "m")
    hoop = m.body("hoop", mass=1.0, inertia=(0.05, 0.1, 0.05))
    m.connect(tr.HigherPair(tr.Plane(), tr.Torus(radius, 0.02)), m.ground, hoop, law=tr.NoSlip())
    system = m.build()
    for value in (0.3, 0.5):
        found = system.start({"hoop.pitch_rate": 2.0}, parameters={"radius": value})
        assert found.u[0] == pytest.approx(2.0 * value)


def test_contact_that_cannot_close_is_reported() -> None:
    m = tr.Model("out of reach")
    ball, rod = m.body("ball", 1.0, (1, 1, 1)), m.body("rod", 1.0, (1, 1, 1))
    m.connect(tr.Prismatic("x"), m.ground.at(0, 5.0, 0), ball)
    m.connect(tr.Revolute("x"), m.ground, rod)
    m.connect(tr.HigherPair(tr.Sphere(0.3), tr.Sphere(0.2)), rod, ball, "touch")
    with pytest.raises(tr.errors.AssemblyError, match=r"touch\.normal"):
        m.build()


def test_a_given_pose_is_kept_wherever_the_contact_lies() -> None:
    """A vertex in a pipe, given far round from where the loop was assembled."""
    m = tr.Model("pipe")
    body = m.body("body", 1.0, (0.1, 0.1, 0.1))
    m.connect(tr.Free(), m.ground, body)
    m.connect(tr.Prismatic("x"), m.ground, m.body("other", 1.0, (0.1, 0.1, 0.1)))
    m.connect(tr.HigherPair(tr.Cylinder(0.9, inside=True), tr.Vertex()), m.ground, body, "contact")
    system = m.build()
    for angle in (0.5, 2.0, 3.0, -2.5):
        given = {"body.x": 0.9 * np.sin(angle), "body.y": 0.2, "body.z": -0.9 * np.cos(angle)}
        assert system.start({**given, "body.quaternion": (1, 0, 0, 0)}).changed == {}


@pytest.mark.parametrize(
    ("a", "b", "words"),
    [
        (tr.Cylinder(0.1, inside=True), tr.Sphere(0.5), "too narrow"),
        (tr.Torus(1.0, 0.1, inside=True), tr.Sphere(0.5), "too narrow"),
        (tr.Cylinder(0.1, inside=True), tr.Cylinder(0.5, inside=True), "too narrow"),
        (tr.Plane(), tr.Circle(0.3), "PlanarPair"),
    ],
)
def test_impossible_pairs(a: Surface, b: Surface, words: str) -> None:
    with pytest.raises(ModelError, match=words):
        tr.HigherPair(a, b)


def test_sizes_that_are_parameters_are_checked_too() -> None:
    m = tr.Model("sizes")
    radius = m.parameter("radius", 0.3, "m")
    with pytest.raises(ModelError, match="not a parameter"):
        tr.Cone(0.3, radius)
    wheel = m.body("wheel", 1.0, (0.1, 0.1, 0.1))
    m.connect(tr.HigherPair(tr.Plane(), tr.Torus(radius, 0.02)), m.ground, wheel)
    system = m.build()
    with pytest.raises(ModelError, match="radius must be greater than zero"):
        system.simulate(0.1, parameters={"radius": -0.3})


def test_short_names_must_be_free_and_known() -> None:
    m = tr.Model("names")
    body = m.body("body", 1.0, (0.1, 0.1, 0.1))
    m.connect(tr.HigherPair(tr.Plane(), tr.Torus(0.3)), m.ground, body)
    m.alias("lean", "body.roll")
    for clash in (lambda: m.parameter("lean", 1.0), lambda: m.output("lean", lambda s: s.t), lambda: m.alias("t", "x")):
        with pytest.raises(ModelError):
            clash()
    with pytest.raises(ModelError, match="carries the tyre"):
        m.connect(tr.HigherPair(tr.Plane(), tr.Torus(0.3)), m.ground, body, "again", wheel="body")
    with pytest.raises(ModelError, match="does not have"):
        m.connect(tr.PlanarPair(tr.Line(), tr.Circle(0.3)), m.ground, body, "flat", tr.NoSpin())
    m.alias("wrong", "body.rol")
    with pytest.raises(tr.errors.UnknownNameError, match="wrong"):
        m.build()
