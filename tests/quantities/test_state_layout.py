"""The layout of the state: every name is at the index of its symbol, with the unit that the register gives it."""

from typing import Any

import casadi as ca
import numpy as np
import pytest

import trundle as tr
from trundle import examples
from trundle.integrate.tolerance import read_units

FORMALISMS = ("kane", "newton_euler", "udwadia_kalaba")


def yielding() -> tr.Model:
    """A sphere with springs along and about its contact, on a driven arm whose rate yields: every kind of state."""
    m = tr.Model("yielding", gravity=(1.0, 0.4, -9.81))
    arm = m.body("arm", 1.0, 0.1, com=(0.2, 0, 0))
    m.connect(tr.Revolute("z"), m.ground.at(0, 0, 1.0), arm, law=tr.Flow(lambda t, q: tr.sin(t)),
              compliance={"angle": tr.Spring(100.0, 1.0)})  # fmt: skip
    ball = m.body("ball", 2.0, (0.05, 0.06, 0.07))
    laws: dict[str, Any] = {"slip_x": tr.Flow(lambda t, q: tr.sin(2 * t)), "roll_x": tr.Locked(), "spin": tr.Locked()}
    springs = {bond: tr.Spring(1e3, 5.0) for bond in laws}
    m.connect(tr.HigherPair(tr.Plane(), tr.Sphere(0.3)), m.ground, ball, "road", laws, compliance=springs)
    m.start["ball.position"] = (0, 0, 0.3)
    return m


@pytest.mark.parametrize("formalism", FORMALISMS)
@pytest.mark.parametrize("name", ["yielding", "heavy-top", "spatial-slider-crank"])
def test_names_stand_where_their_symbols_are(name: str, formalism: str) -> None:
    m = yielding() if name == "yielding" else examples.model(name)
    f = m.build(formalism).formulation
    functions, layout = f.functions, f.states
    x = functions.x
    assert functions.layout == layout
    assert layout.n_x == x.numel() == f.kernels("base")["rhs"].n_x == len(layout.units) == len(layout.error_weights)
    assert functions.equations.q.numel() == layout.n_q and functions.equations.u.numel() == layout.n_u
    assert layout.quaternions == tuple(functions.equations.motion.quaternions)
    assert layout.turns == (() if f.in_joints else tuple(k for k in layout.turns if f.register.find(k)))
    for known, place in layout.places.items():
        signal = ca.SX(functions.equations.signals[known])
        assert all(ca.is_equal(signal[k], x[i]) for k, i in enumerate(place.range)), known
        assert layout.units[place.first] == f.quantity(known).unit, known
    for entry, i in zip(layout.followers, range(layout.n_q)[layout.follower_slice], strict=True):
        assert ca.is_equal(ca.SX(functions.equations.signals[entry.name]), x[i])
    assert bool(layout.places) == (f.in_joints or bool(layout.first_order))


def test_units_of_what_yields() -> None:
    """Deflections about an axis are angles: they are compared with 1 rad, not with a length."""
    f = yielding().build().formulation
    units = dict(zip(f.states.first_order_places, f.states.units[f.states.first_order_slice], strict=True))
    assert units == {
        "road.bristle_x": "m", "road.bristle_roll_x": "rad", "road.bristle_spin": "rad", "arm.angle_deviation": "rad",
    }  # fmt: skip
    read = f.once(read_units)
    assert read.group[f.states.first_order_places["road.bristle_spin"]] == 1
    assert set(read.group[f.states.n_motion :]) <= {-1}  # by-products are no measure of the motion


def test_vector_and_values() -> None:
    f = examples.model("heavy-top").build().formulation
    rng = np.random.default_rng(5)
    q, u = rng.normal(size=f.n_q), rng.normal(size=f.n_u)
    x = f.states.vector(q, u)
    assert len(x) == f.n_x and np.array_equal(x[f.states.q], q) and np.array_equal(x[f.states.u], u)
    for name, values in f.states.values(x[None, :]).items():
        place = f.states.places[name]
        assert np.array_equal(values[0], x[place.first : place.first + place.size])
