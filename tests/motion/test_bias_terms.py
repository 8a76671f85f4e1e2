"""The bias of the equations of motion by body and kind: its terms add up to it, and each can be left out."""

from collections.abc import Callable

import casadi as ca
import numpy as np
import pytest
from tests.equations.mechanisms import INERTIA, driven_chain, four_bar, free_pair, mixed_chain, reversed_chain

import trundle as tr
from trundle.equations.derive import Equations, derive
from trundle.errors import UnknownNameError
from trundle.graph import find_topology


def equations(model: tr.Model, formalism: str = "kane") -> Equations:
    return derive(model, find_topology(model, {}), formalism)


def numbers(e: Equations, *values: object, q: object = None, u: object = None) -> list[np.ndarray]:
    """Expressions at a state, random unless it is given."""
    rng = np.random.default_rng(5)
    state = [rng.normal(size=n) if given is None else given for n, given in ((e.n_q, q), (e.n_u, u))]
    for i in e.motion.quaternions if q is None else ():
        state[0][i : i + 4] /= np.linalg.norm(state[0][i : i + 4])
    p = [*e.model.parameter_values().values(), *[1.0] * (e.p.numel() - len(e.model.parameters))]
    f = ca.Function("f", [e.t, e.q, e.u, e.p], [ca.densify(ca.SX(v)) for v in values])
    found = f(0.3, *state, p)
    return [np.array(v).ravel() for v in (found if isinstance(found, tuple | list) else [found])]


CASES = [
    *((make, "kane") for make in (mixed_chain, reversed_chain, free_pair, driven_chain, lambda: four_bar(laws=True))),
    *((make, "newton_euler") for make in (free_pair, reversed_chain, lambda: four_bar(laws=True))),
]


@pytest.mark.parametrize(("make", "formalism"), CASES)
def test_terms_add_up_to_the_bias(make: Callable[[], tr.Model], formalism: str) -> None:
    e = equations(make(), formalism)
    terms = e.generalised_forces()
    bias, *parts = numbers(e, e.bias, *terms.values())
    largest = max(np.max(np.abs(part)) for part in parts)
    np.testing.assert_allclose(-sum(parts), bias, rtol=0, atol=1e-12 * largest)
    assert largest > 0.1


def test_bead_on_a_turning_rod() -> None:
    """r = 2 m, 3 kg, 5 rad/s, 0.7 m/s: the rod throws it out with m r w^2, and it drags on the rod by 2 m r w v."""
    m = tr.Model("bead", gravity=(0, 0, 0))
    rod, bead = m.body("rod", mass=1.0, inertia=(1, 1, 1)), m.body("bead", mass=3.0, inertia=(1, 1, 1))
    m.connect(tr.Revolute("z"), m.ground, rod, name="pin")
    m.connect(tr.Prismatic("x"), rod, bead, name="slide")
    e = equations(m)
    convective, gyroscopic = numbers(
        e, *(e.generalised_forces()["bead", kind] for kind in ("convective", "gyroscopic")), q=[0.4, 2.0], u=[5.0, 0.7]
    )
    np.testing.assert_allclose(convective, [-2 * 3 * 2 * 5 * 0.7, 3 * 2 * 25], rtol=1e-14)
    np.testing.assert_allclose(gyroscopic, [0, 0], atol=1e-14)


@pytest.mark.parametrize("formalism", ["kane", "newton_euler"])
def test_gyroscopic_moment_of_a_free_body(formalism: str) -> None:
    """I wdot = -w x I w [Euler]; without it a body that nothing acts on keeps its angular velocity in its own axes."""
    m = tr.Model("stone", gravity=(0, 0, 0))
    stone = m.body("stone", mass=1.0, inertia=(2.0, 3.0, 4.0))
    m.connect(tr.Free(), m.ground, stone)
    e = equations(m, formalism)
    bare = e.without({"stone": ["gyroscopic"]})
    udot = [each.motion.unconstrained(each.inertias, each.gravity, each.loads, each.efforts)[0] for each in (e, bare)]
    w = np.array([0.3, -0.5, 0.7])
    whole, without = numbers(e, *udot, q=[0, 0, 0, 1, 0, 0, 0], u=[0, 0, 0, *w])
    expected = [(3 - 4) * w[1] * w[2] / 2, (4 - 2) * w[2] * w[0] / 3, (2 - 3) * w[0] * w[1] / 4]
    np.testing.assert_allclose(whole[3:], expected, rtol=1e-14)
    np.testing.assert_allclose(without[3:], 0, atol=1e-15)


def swinging(gravity: float) -> tr.Model:
    """Two bodies without symmetry on crossed hinges, with a spring between."""
    m = tr.Model("swinging", gravity=(0, 0, -gravity))
    upper, lower = (m.body(name, mass=1.3, inertia=INERTIA, com=(0.1, 0.2, -0.3)) for name in ("upper", "lower"))
    m.connect(tr.Revolute("x"), m.ground, upper, name="first", law=tr.Spring(2.0, 0.1))
    m.connect(tr.Revolute("y"), upper.at(0, 0, -1), lower, name="second")
    m.apply(tr.SpringDamper(m.ground.at(1, 0, 0), lower.at(0, 0.2, -0.5), 20.0, 0.4, 0.5), name="stay")
    return m


@pytest.mark.parametrize("formalism", ["kane", "newton_euler"])
def test_without_gravity_is_the_model_that_has_none(formalism: str) -> None:
    e, other = equations(swinging(9.81), formalism), equations(swinging(0.0), formalism)
    (bias,) = numbers(e, e.bias)
    (bare,) = numbers(e, e.without({"upper": ["gravity"], "lower": ["gravity"]}).bias)
    (weightless,) = numbers(other, other.bias)
    np.testing.assert_allclose(bare, weightless, rtol=0, atol=1e-13 * np.max(np.abs(bias)))
    assert np.max(np.abs(bias - bare)) > 1.0


def test_without_loads_no_force_acts_on_the_body() -> None:
    e = equations(swinging(9.81))
    bare = e.without({"lower": ["load"]})
    assert ("lower", "stay") in e.generalised_forces()
    assert ("lower", "stay") not in bare.generalised_forces()
    assert ("first.angle", "effort") in bare.generalised_forces()


def test_articulated_and_composite_bodies_leave_out_the_same() -> None:
    e = equations(swinging(9.81)).without({"lower": ["convective"], "upper": ["gyroscopic", "gravity"]})
    udot = e.motion.unconstrained(e.inertias, e.gravity, e.loads, e.efforts)[0]
    M = ca.vertcat(*[ca.horzcat(*[row.get(k, ca.SX(0)) for k in range(e.n_u)]) for row in e.mass])
    (left,) = numbers(e, ca.mtimes(M, udot) + e.bias)
    np.testing.assert_allclose(left, 0, atol=1e-12)


def test_unknown_bodies_and_kinds_are_named() -> None:
    e = equations(swinging(9.81))
    with pytest.raises(UnknownNameError, match=r"no body whose terms are to be left out called 'lowr'.*'lower'"):
        e.without({"lowr": ["gravity"]})
    with pytest.raises(UnknownNameError, match=r"no kind of term called 'gyro'.*'gyroscopic'"):
        e.without({"lower": ["gyro"]})
