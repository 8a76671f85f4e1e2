"""Pose of the whole, order, units and which body comes first do not matter; what is conserved stays."""

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import trundle as tr
from trundle.run.run import Run

FEW = settings(max_examples=4, derandomize=True, deadline=None, database=None, suppress_health_check=list(HealthCheck))
JOINTS: list[tuple[str, Any, str, str, tuple[float, float, float]]] = [
    ("A", tr.Revolute("x"), "ground", "crank", (0, 0, 0)),
    ("D", tr.Revolute("y"), "ground", "rocker", (1.0, 0.4, 0)),
    ("B", tr.Universal("x", cross="y"), "crank", "rod", (0, 0.2, 0.3)),
    ("C", tr.Spherical(), "rod", "rocker", (1.1, 0.4, 0.8)),
]
CENTRES = {"crank": (0, 0.1, 0.1), "rod": (0.5, 0.3, 0.5), "rocker": (1.0, 0.4, 0.3)}


def linkage(
    turn: tuple[Any, float] = ("z", 0.0),
    shift: tuple[float, float, float] = (0, 0, 0),
    order: list[int] | None = None,
    body_order: list[str] | None = None,
    swap: frozenset[str] = frozenset(),
    length: float = 1.0,
    mass: float = 1.0,
) -> tr.Model:
    """Spatial four-bar with a spring, posed by `turn` and `shift`, in units of `length` and `mass` (time is kept)."""
    R = tr.rotation(*turn)
    m = tr.Model("linkage", gravity=tuple(R @ (0.3 * length, 0.1 * length, -9.81 * length)))
    bodies = {"ground": m.ground}
    for name in body_order or list(CENTRES):
        inertia = np.array([0.12, 0.21, 0.17, 0.013, -0.021, 0.017]) * mass * length**2
        bodies[name] = m.body(
            name, mass=1.3 * mass, inertia=tuple(inertia), com=tuple(length * np.array(CENTRES[name]))
        )

    def place(body: str, point: tuple[float, float, float]) -> tr.Frame:
        p = length * np.array(point)
        if body == "ground":
            return m.ground.frame(tuple(length * np.array(shift) + R @ p), R)
        return bodies[body].at(*p)

    for i in order or range(len(JOINTS)):
        name, pair, a, b, point = JOINTS[i]
        ends = (b, a) if name in swap else (a, b)
        m.connect(pair, place(ends[0], point), place(ends[1], point), name=name)
    spring = (place("ground", (0.5, 0.5, 1.5)), place("rod", (0.5, 0.3, 0.5)))
    m.apply(tr.SpringDamper(*spring, 20.0 * mass, 0.5 * mass, 0.7 * length), "spring")
    return m


def motion(model: tr.Model, sign: float = 1.0) -> Run:
    run = model.build().simulate(0.4, {"A.angle": 0.0, "A.angle_rate": sign * 1.5}, samples=4, rtol=1e-11, atol=1e-11)
    assert run.ok
    return run


@pytest.fixture(scope="module")
def reference() -> Run:
    return motion(linkage())


def body_points(run: Run) -> dict[str, np.ndarray]:
    return {b: run.values(f"{b}.com_position") for b in CENTRES}


@FEW
@given(
    axis=st.tuples(*[st.floats(-1, 1)] * 3).filter(lambda v: np.linalg.norm(v) > 0.1),
    angle=st.floats(-3, 3),
    shift=st.tuples(*[st.floats(-5, 5)] * 3),
)
def test_pose_of_the_whole_does_not_matter(reference: Run, axis: Any, angle: float, shift: Any) -> None:
    run, R = motion(linkage((axis, angle), shift)), tr.rotation(axis, angle)
    for body, points in body_points(run).items():
        np.testing.assert_allclose((points - shift) @ R, body_points(reference)[body], rtol=0, atol=1e-8)
    for name in ("A", "C"):
        force = run.values(f"{name}.reaction_force") @ R
        np.testing.assert_allclose(force, reference.values(f"{name}.reaction_force"), rtol=0, atol=1e-6)


@FEW
@given(order=st.permutations(range(4)), bodies=st.permutations(list(CENTRES)))
def test_order_does_not_matter(reference: Run, order: list[int], bodies: list[str]) -> None:
    run = motion(linkage(order=order, body_order=bodies))
    for body, points in body_points(run).items():
        np.testing.assert_allclose(points, body_points(reference)[body], rtol=0, atol=1e-8)
    np.testing.assert_allclose(
        run.values("D.reaction_moment"), reference.values("D.reaction_moment"), rtol=0, atol=1e-6
    )


@FEW
@given(swap=st.frozensets(st.sampled_from(["A", "C", "D"]), min_size=1))
def test_first_and_second_body_can_be_swapped(reference: Run, swap: frozenset[str]) -> None:
    run = motion(linkage(swap=swap), sign=-1.0 if "A" in swap else 1.0)
    for body, points in body_points(run).items():
        np.testing.assert_allclose(points, body_points(reference)[body], rtol=0, atol=1e-8)
    for name in ("A", "B", "C", "D"):
        sign = -1 if name in swap else 1
        force = sign * run.values(f"{name}.reaction_force")
        np.testing.assert_allclose(force, reference.values(f"{name}.reaction_force"), rtol=0, atol=1e-6)


@FEW
@given(length=st.sampled_from([1e-3, 0.3, 1e3]), mass=st.sampled_from([1e-4, 2.0, 1e5]))
def test_units_do_not_matter(reference: Run, length: float, mass: float) -> None:
    run = motion(linkage(length=length, mass=mass))
    for body, points in body_points(run).items():
        np.testing.assert_allclose(points / length, body_points(reference)[body], rtol=0, atol=1e-7)
    force = run.values("A.reaction_force") / (mass * length)
    np.testing.assert_allclose(force, reference.values("A.reaction_force"), rtol=0, atol=1e-5)


def test_energy_balance_of_the_reference(reference: Run) -> None:
    assert reference.energy.drift < 1e-9
    assert reference.energy.work_lost[-1] > 0


def test_free_system_keeps_its_momenta() -> None:
    """Two bodies on a cardan joint with a spring and a motor between them, free in space."""
    m = tr.Model("free", gravity=(0, 0, 0))
    bodies = [
        m.body(n, mass=k, inertia=(0.3, 0.4, 0.5, 0.02, 0.01, 0.03), com=(0.1 * k, 0.2, -0.1))
        for n, k in (("a", 1.0), ("b", 2.5))
    ]
    m.connect(tr.Free(), m.ground, bodies[0])
    motor = tr.Motor(lambda t, q, u: tr.sin(7 * t) - 0.2 * u)
    m.connect(tr.Universal("x"), bodies[0].at(0.4, 0, 0), bodies[1].at(-0.3, 0, 0.2), law={"angle": motor})
    m.apply(tr.SpringDamper(bodies[0].at(0, 0, 1), bodies[1].at(0, 0, 1), 8.0, 0.2, 0.3))
    start = {"a.x_rate": 0.4, "a.angular_rate": (1.0, -2.0, 0.5), "b.angle_rate": 2.0, "b.cross_angle_rate": -1.0}
    run = m.build().simulate(2.0, start, samples=9, rtol=1e-12, atol=1e-12)
    P = np.zeros((9, 3))
    L = np.zeros((9, 3))
    for body in bodies:
        p, v, w = (run.values(f"{body.name}.{n}") for n in ("com_position", "com_velocity", "angular_velocity"))
        R = run.values(f"{body.name}.rotation").reshape(-1, 3, 3).transpose(0, 2, 1)
        xx, yy, zz, xy, xz, yz = body.inertia
        I = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        P += body.mass * v
        L += np.cross(p, body.mass * v) + np.einsum("tij,jk,tlk,tl->ti", R, I, R, w)
    np.testing.assert_allclose(P, np.broadcast_to(P[0], P.shape), rtol=0, atol=1e-9)
    np.testing.assert_allclose(L, np.broadcast_to(L[0], L.shape), rtol=0, atol=1e-9)
    assert run.energy.drift < 1e-9
