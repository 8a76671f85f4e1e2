"""Articulated bodies and composite bodies give the same accelerations, for trees of every shape."""

import casadi as ca
import numpy as np
import pytest
from tests.equations.mechanisms import free_pair, join, mixed_chain, reversed_chain, solid

import trundle as tr
from trundle.equations.derive import derive
from trundle.graph import find_topology
from trundle.linear_algebra.kkt import KKT, dense, sparse
from trundle.motion.kane import TreeMotion


def branched() -> tr.Model:
    """Branches of all kinds of links on one body: axes parallel, antiparallel and crossed; a length is a parameter."""
    m = tr.Model("branched")
    length = m.parameter("length", 0.4)
    trunk = solid(m, "trunk", (0.1, 0, 0.2))
    join(m, tr.Revolute("y"), m.ground, trunk, (0, 0, 0), "root", law=tr.Spring(2.0, 0.1))
    pairs = [
        tr.Revolute("y"),
        tr.Revolute("-y"),
        tr.Helical("z", pitch=-0.3),
        tr.Spherical(),
        tr.Prismatic("-x"),
        tr.Free(),
    ]
    for i, pair in enumerate(pairs):
        twig, leaf = solid(m, f"twig{i}", (0.1, 0.2, 0.1 * i)), solid(m, f"leaf{i}", (0.3, 0.1, 0.1 * i))
        m.connect(pair, trunk.at(length, 0.1, 0.1 * i), twig.at(0.1, 0, length))
        join(m, tr.Revolute((1, 1, i)), leaf, twig, (0.2, length, 0), f"tip{i}", law=tr.Motor(0.3 * i))
    return m


def massless_middle() -> tr.Model:
    """A cardan joint made of two hinges and a cross without mass."""
    m = tr.Model("cross")
    a, b, cross = solid(m, "a", (0, 0, -0.2)), solid(m, "b", (0, 0.1, -0.7)), m.body("cross")
    join(m, tr.Revolute("z"), m.ground, a, (0, 0, 0), "shaft")
    join(m, tr.Revolute("x"), a, cross, (0, 0, -0.5), "first")
    join(m, tr.Revolute("y"), cross, b, (0, 0, -0.5), "second")
    return m


@pytest.mark.parametrize("make", [mixed_chain, reversed_chain, free_pair, branched, massless_middle])
def test_articulated_equals_composite(make: object) -> None:
    model = make()
    e = derive(model, find_topology(model, {}), "kane")
    assert isinstance(e.motion, TreeMotion)
    articulated = e.motion.unconstrained(e.inertias, e.gravity, e.loads, e.efforts)[0]
    composite, _ = KKT(e.mass, [], e.motion.leaves_first(), 0.0).solve(sparse(-e.bias), {})
    f = ca.Function("f", [e.t, e.q, e.u, e.p], [articulated, dense(composite, e.n_u)])
    rng = np.random.default_rng(0)
    p = e.parameters.vector(model)
    p[e.parameters.shift] = 0.0
    for t in (0.0, 0.7):
        a, b = (np.array(ca.DM(v)).ravel() for v in f(t, rng.normal(size=e.n_q), rng.normal(size=e.n_u), p))
        assert np.all(np.isfinite(a))
        np.testing.assert_allclose(a, b, rtol=0, atol=1e-10 * np.max(np.abs(b)))


def test_cardan_joint_equals_hinges_with_a_massless_cross() -> None:
    m = tr.Model("universal")
    a, b = solid(m, "a", (0, 0, -0.2)), solid(m, "b", (0, 0.1, -0.7))
    join(m, tr.Revolute("z"), m.ground, a, (0, 0, 0), "shaft")
    join(m, tr.Universal("x", cross="y"), a, b, (0, 0, -0.5), "joint")
    state = {"shaft.angle": 0.2, "shaft.angle_rate": 1.1}
    one = m.build().accelerations(
        {
            **state,
            "joint.angle": 0.4,
            "joint.cross_angle": -0.6,
            "joint.angle_rate": 0.5,
            "joint.cross_angle_rate": -0.9,
        }
    )
    two = (
        massless_middle()
        .build()
        .accelerations(
            {**state, "first.angle": 0.4, "second.angle": -0.6, "first.angle_rate": 0.5, "second.angle_rate": -0.9}
        )
    )
    for name in ("a.angular_acceleration", "b.acceleration", "b.angular_acceleration", "shaft.reaction_moment"):
        np.testing.assert_allclose(one[name], two[name], rtol=0, atol=1e-11)
    np.testing.assert_allclose(one["joint.reaction_force"], two["second.reaction_force"], rtol=0, atol=1e-11)
