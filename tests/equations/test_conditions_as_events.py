"""A comparison as an event function fires at the crossing that it describes."""

import casadi as ca
import numpy as np
import pytest

import trundle as tr
from trundle.errors import FileError, ModelError
from trundle.file import read_model

RATE = 3.0  # rad/s; x = sin(3 t)
RISES, FALLS = np.arcsin(0.2) / RATE, (np.pi - np.arcsin(0.2)) / RATE


def oscillator(**events):
    m = tr.Model("oscillator", gravity=(0, 0, 0))
    cart = m.body("cart", mass=1.0)
    m.connect(tr.Prismatic("x"), m.ground, cart, law=tr.Spring(RATE**2))
    m.start = {"cart.displacement": 0.0, "cart.displacement_rate": RATE}
    for name, (function, direction) in events.items():
        m.event(name.replace("_", " "), function, direction)
    return m.build().simulate(2 * np.pi / RATE - 1e-6)


CONDITIONS = {
    "above": (lambda x, v: x > 0.2, [RISES], [FALLS]),
    "above or at": (lambda x, v: x >= 0.2, [RISES], [FALLS]),
    "below": (lambda x, v: x < 0.2, [FALLS], [RISES]),
    "the other way round": (lambda x, v: 0.2 < x, [RISES], [FALLS]),  # noqa: SIM300
    "not above": (lambda x, v: ca.logic_not(x > 0.2), [FALLS], [RISES]),
    "above and rising": (lambda x, v: ca.logic_and(x > 0.2, v > 0), [RISES], [np.pi / 2 / RATE]),
    "above or falling": (lambda x, v: ca.logic_or(x > 0.2, v < 0), [RISES], [3 * np.pi / 2 / RATE]),
}


@pytest.mark.parametrize("name", CONDITIONS)
def test_a_condition_fires_where_it_changes(name):
    condition, becomes_true, becomes_false = CONDITIONS[name]

    def function(s):
        return condition(s["cart.displacement"], s["cart.displacement_rate"])

    run = oscillator(true=(function, 1), false=(function, -1), both=(function, 0))
    for event, times in (
        ("true", becomes_true),
        ("false", becomes_false),
        ("both", sorted([*becomes_true, *becomes_false])),
    ):
        np.testing.assert_allclose([t for n, t in run.events if n == event], times, atol=1e-9)


@pytest.mark.parametrize(
    ("function", "why"),
    [
        (lambda s: s["cart.displacement"] == 0.2, "Use their difference"),
        (lambda s: tr.step(s["cart.displacement"]), "constant between jumps"),
        (lambda s: tr.where(s["cart.displacement"] > 0.2, 1, 0), "constant between jumps"),
        (lambda s: tr.sign(s["cart.displacement"]), "constant between jumps"),
        (lambda s: (s["cart.displacement"] > 0.2) - 0.5, "constant between jumps"),
        (lambda s: ca.logic_and(s["cart.displacement"] > 0.2, s.t), "mixes conditions and numbers"),
        (lambda s: 3.0, "constant 3.0: it never crosses"),
        (lambda s: 3 > 2, "constant True: it never crosses"),
    ],
)
def test_what_has_no_crossing_is_refused(function, why):
    with pytest.raises(ModelError, match=f"event 'e': .*{why}"):
        oscillator(e=(function, 0))


FILE = """
name: oscillator
gravity: [0, 0, 0]
bodies: {{cart: {{mass: 1}}}}
connections: [{{pair: Prismatic, axis: x, first: ground, second: cart, law: {{spring: {{stiffness: 9}}}}}}]
events: {{e: {{expression: "{}", direction: rising}}}}
start: {{cart.displacement_rate: 3}}
"""


@pytest.mark.parametrize(
    ("expression", "time"),
    [
        ("cart.displacement > 0.2", RISES),
        ("not cart.displacement > 0.2", FALLS),
        ("cart.displacement > 0.2 and cart.displacement_rate < 0", np.pi / 2 / RATE),
    ],
)
def test_conditions_in_a_file_fire_too(expression, time):
    run = read_model(FILE.format(expression)).model.build().simulate(2.0)
    assert run.events[0] == ("e", pytest.approx(time, abs=1e-9))


def test_a_file_is_reported_what_never_fires():
    with pytest.raises((FileError, ModelError), match="constant between jumps"):
        read_model(FILE.format("step(cart.displacement)")).model.build()
