"""Every lower pair, found automatically: chain against closure rows, tree joint against loop closer."""

import casadi as ca
import numpy as np
import pytest

import trundle as tr
import trundle.rail  # joints of its own
from trundle.constraints.closure import closure_rows
from trundle.equations.derive import derive
from trundle.graph import find_topology
from trundle.motion.kane import TreeMotion
from trundle.pairs import Pair, lower_pairs
from trundle.space import Ball

SETTINGS: dict[str, dict[str, object]] = {"Helical": {"pitch": 0.17}}  # pairs whose defaults are a special case


def make(kind: type[Pair]) -> Pair:
    return kind(**SETTINGS.get(kind.__name__, {}))


def bodies(m: tr.Model) -> tuple[tr.Body, tr.Body]:
    a = m.body("a", mass=1.0, inertia=(0.1, 0.12, 0.15, 0.01, 0.02, -0.01), com=(0.1, 0.2, -0.1))
    b = m.body("b", mass=2.0, inertia=(0.2, 0.12, 0.15, 0.01, -0.02, 0.01), com=(0.3, -0.1, -0.4))
    return a, b


def places(a: tr.Body, b: tr.Body) -> tuple[tr.Frame, tr.Frame]:
    return a.frame((0.2, 0.1, -0.3), ((1, 2, 3), 0.6)), b.frame((-0.1, 0.1, 0.2), ((3, -1, 0), 1.1))


@pytest.mark.parametrize("kind", lower_pairs(of_user=False))
@pytest.mark.parametrize("reverse", [False, True])
def test_closure_rows_do_no_work_on_the_chain(kind: type[Pair], reverse: bool) -> None:
    """In every motion of the chain the closure rows of the same pair hold, in position, velocity and acceleration."""
    pair = make(kind)
    m = tr.Model("two")
    a, b = bodies(m)
    m.connect(tr.Free(), m.ground, b if reverse else a)
    first, second = places(a, b)
    c = m.connect(pair, first, second, name="pair")
    e = derive(m, find_topology(m, {}), "kane")
    assert isinstance(e.motion, TreeMotion)
    rows = closure_rows(c, e.motion, over_ground=False)
    assert len(rows) == 6 - pair.chain().n_u
    if not rows:
        return
    rng = np.random.default_rng(4)
    q, u = 0.7 * rng.normal(size=e.n_q), rng.normal(size=e.n_u)
    g = ca.vertcat(*[r.residual for r in rows])
    rate = ca.vertcat(*[r.rate for r in rows])
    gamma = ca.vertcat(*[r.gamma for r in rows])
    f = ca.Function("f", [e.q, e.u], [ca.densify(g), ca.densify(rate), ca.densify(gamma)])
    for values in f(q, u):
        np.testing.assert_allclose(np.array(ca.DM(values)), 0, atol=1e-12)


@pytest.mark.parametrize("kind", lower_pairs(of_user=False))
def test_rows_have_full_rank_and_chain_fills_the_rest(kind: type[Pair]) -> None:
    """Between two free bodies the rows have rank 6 - freedoms, and the chain moves all their null space."""
    pair = make(kind)
    m = tr.Model("two")
    a, b = bodies(m)
    m.connect(tr.Free(), m.ground, a)
    m.connect(tr.Free(), a, b, name="pair", law=None)
    first, second = places(a, b)
    from trundle.model.connection import ConnectedPair

    closing = ConnectedPair("closing", pair, first, second)
    e = derive(m, find_topology(m, {}), "newton_euler")
    rows = closure_rows(closing, e.motion, over_ground=False)
    n = 6 - pair.chain().n_u
    assert len(rows) == n
    if n == 0:
        return
    rng = np.random.default_rng(2)
    q = rng.normal(size=e.n_q)
    J = ca.vertcat(*[ca.horzcat(*[r.jacobian.get(i, ca.SX(0)) for i in range(e.n_u)]) for r in rows])
    numbers = np.array(ca.DM(ca.Function("J", [e.q], [J])(q)))
    assert np.linalg.matrix_rank(numbers, tol=1e-9) == n
    assert [r.name for r in rows] == [r.name for r in closure_rows(closing, e.motion, over_ground=False)]


@pytest.mark.parametrize("kind", lower_pairs(of_user=False))
def test_rows_are_derivatives_of_each_other(kind: type[Pair]) -> None:
    """d(residual)/dt = rate on the manifold's tangent and d(rate)/dt = gamma + J udot, at any pose."""
    pair = make(kind)
    m = tr.Model("two")
    a, b = bodies(m)
    m.connect(tr.Free(), m.ground, a)
    m.connect(tr.Free(), m.ground, b, name="free b")
    from trundle.model.connection import ConnectedPair

    closing = ConnectedPair("closing", pair, *places(a, b))
    e = derive(m, find_topology(m, {}), "kane")
    rows = closure_rows(closing, e.motion, over_ground=False)
    if not rows:
        return
    rate, gamma = ca.vertcat(*[r.rate for r in rows]), ca.vertcat(*[r.gamma for r in rows])
    change = ca.jtimes(rate, e.q, e.motion.coordinate_rates())
    J = ca.jacobian(rate, e.u)
    given = ca.vertcat(*[ca.horzcat(*[r.jacobian.get(i, ca.SX(0)) for i in range(e.n_u)]) for r in rows])
    f = ca.Function("f", [e.q, e.u], [ca.densify(change - gamma), ca.densify(J - given)])
    rng = np.random.default_rng(8)
    for values in f(rng.normal(size=e.n_q), rng.normal(size=e.n_u)):
        np.testing.assert_allclose(np.array(ca.DM(values)), 0, atol=1e-11)


def swinging(kind: type[Pair], closing: bool) -> tr.Model:
    """A pendulum on the pair; once the pair is a tree joint, once it closes a loop over a Free joint."""
    m = tr.Model("closing" if closing else "tree", gravity=(0.5, -0.4, -9.7))
    b = m.body("b", mass=2.0, inertia=(0.2, 0.25, 0.15, 0.01, -0.02, 0.01), com=(0.3, -0.1, -0.4))
    ground, place = m.ground.frame((0.2, 0.1, -0.3), ((1, 2, 3), 0.6)), b.frame((-0.1, 0.1, 0.2), ((3, -1, 0), 1.1))
    m.connect(make(kind), ground, place, name="pair")
    if closing:
        m.connect(tr.Free(), m.ground, b, law={"x": tr.Damper(0.0)})  # a law takes the Free joint into the tree
    return m


@pytest.mark.parametrize("kind", [k for k in lower_pairs(of_user=False) if 0 < make(k).chain().n_u < 6])
def test_tree_joint_equals_loop_closer(kind: type[Pair]) -> None:
    tree, closed = swinging(kind, False).build(), swinging(kind, True).build()
    assert not tree.formulation.topology.loops and [loop.name for loop in closed.formulation.topology.loops] == ["pair"]
    rng = np.random.default_rng(3)
    start: dict[str, object] = {}
    for c in tree.formulation.layout.coordinates:
        start[c.name] = 0.4 * rng.normal() if c.n_q == 1 else 0.4 * rng.normal(size=4) + [1, 0, 0, 0]
        start[c.rate_name] = rng.normal(size=c.n_u) if c.n_u > 1 else rng.normal()
    first = tree.simulate(0.3, start, samples=4, rtol=1e-12, atol=1e-12)
    R = first.values("b.rotation")[0].reshape(3, 3).T
    p, v, w = (first.values(f"b.{n}")[0] for n in ("position", "velocity", "angular_velocity"))
    from trundle.space.rotation import quaternion_from_rotation

    same: dict[str, object] = {f"b.{k}": p[i] for i, k in enumerate("xyz")} | {
        f"b.{k}_rate": v[i] for i, k in enumerate("xyz")
    }
    same |= {"b.quaternion": quaternion_from_rotation(R), "b.angular_rate": R.T @ w}
    second = closed.simulate(0.3, same, samples=4, rtol=1e-12, atol=1e-12)
    assert first.ok and second.ok
    assert second.initial is not None and not second.initial.changed
    for name in ("b.position", "b.rotation", "b.velocity"):
        np.testing.assert_allclose(second.values(name), first.values(name), rtol=0, atol=1e-9)
    for step in make(kind).coordinates:  # a loop closer measures the coordinates of the chain
        if step.n_u == 1:
            for name in (f"pair.{step.name}", f"pair.{step.name}_rate"):
                np.testing.assert_allclose(second.values(name), first.values(name), rtol=0, atol=1e-8)
    for name in ("pair.reaction_force", "pair.reaction_moment"):
        np.testing.assert_allclose(second.values(name), first.values(name), rtol=0, atol=1e-8)


@pytest.mark.parametrize("kind", lower_pairs(of_user=False))
def test_freedoms_match_bonds(kind: type[Pair]) -> None:
    pair = make(kind)
    assert pair.chain().n_u == len(pair.free)
    assert sorted((*pair.free, *pair.locked)) == sorted(("x", "y", "z", "rx", "ry", "rz"))
    assert all(isinstance(s, Ball) or s.n_q == 1 for s in pair.chain().steps)
    np.testing.assert_allclose(pair.frame() @ pair.frame().T, np.eye(3), atol=1e-14)


@pytest.mark.parametrize("axis", ["x", "-x", "y", "-z", (1, 2, -2), (0, 1e-3, 1)])
def test_axis_of_a_hinge_is_where_it_is_said(axis: object) -> None:
    from trundle.space import axis_vector

    m = tr.Model("hinge", gravity=(0, 0, 0))
    b = m.body("b", mass=1, inertia=(1, 1, 1))
    m.connect(tr.Revolute(axis), m.ground, b)
    run = m.build().simulate(1.0, {"b.angle": 0.3, "b.angle_rate": 0.5}, samples=2)
    e = axis_vector(axis)
    np.testing.assert_allclose(run.values("b.angular_velocity")[0], 0.5 * e, atol=1e-13)
    np.testing.assert_allclose(run.values("b.rotation")[0].reshape(3, 3).T, tr.rotation(axis, 0.3), atol=1e-13)
