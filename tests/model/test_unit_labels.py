"""Units of parameters are labels: one that is not of SI is told where its number is used as it is."""

import warnings
from pathlib import Path

import pytest

import trundle as tr
from trundle.errors import UnitWarning
from trundle.model.unit_labels import scaled


@pytest.mark.parametrize(
    ("unit", "part"),
    [("N/mm", "mm"), ("kN", "kN"), ("N m/deg", "deg"), ("1/min", "min"), ("km/h", "km"), ("%", "%"), ("g", "g")]
    + [(unit, "") for unit in ("", "N/m", "N m s/rad", "kg m^2", "rad/s", "m/s^2", "1/s", "N·m", "V s/A", "Hz", "1")],
)
def test_units_that_are_not_of_si(unit: str, part: str) -> None:
    assert scaled(unit) == part


def cart(mass: str = "kg", stiffness: str = "N/m", place: str = "m", force: str = "N") -> tr.Model:
    m = tr.Model("cart")
    M, k, L = m.parameter("M", 1.0, mass), m.parameter("k", 4.0, stiffness), m.parameter("L", 0.2, place)
    m.connect(tr.Prismatic("x"), m.ground.at(L, 0, 0), m.body("cart", mass=M), law=tr.Spring(k, rest=1e-3 * L))
    m.apply(tr.CoordinateForce("cart.displacement", tr.Motor(m.input("push", 0.0, force))))
    m.start["cart.displacement"] = 2 * L
    return m


@pytest.mark.parametrize(
    ("units", "words"),
    [
        ({"mass": "g"}, "body 'cart' takes the number of the parameter 'M' as it is.*its unit 'g' is a label"),
        ({"stiffness": "N/mm"}, "connection 'cart' takes the number of the parameter 'k'"),
        ({"place": "mm"}, "connection 'cart' takes the number of the parameter 'L'"),
        ({"force": "kN"}, "force '.*' takes the number of the input 'push'"),
    ],
)
def test_a_number_in_another_unit_that_is_used_as_it_is(units: dict[str, str], words: str) -> None:
    with pytest.warns(UnitWarning, match=words) as told:
        cart(**units).build()
    assert len(told) == 1


def test_numbers_that_are_converted_or_in_si() -> None:
    m = tr.Model("arm")
    angle = m.parameter("angle", 20.0, "deg")
    m.connect(tr.Revolute("y"), m.ground, m.body("arm", 1.0, 0.1), law=tr.Spring(1.0, rest=tr.degrees(angle)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        m.build()
        cart().build()


def test_a_model_file(tmp_path: Path) -> None:
    path = tmp_path / "cart.yaml"
    path.write_text(
        "name: cart\nparameters: {k: {value: 4, unit: N/mm}}\nbodies: {cart: {mass: 2, inertia: 0.1}}\n"
        "connections: {cart: {pair: Prismatic, axis: x, first: ground, second: cart, law: {spring: k}}}\n"
    )
    with pytest.warns(UnitWarning, match="'k'"):
        tr.load_file(path).model.build()
