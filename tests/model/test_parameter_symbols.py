"""Parameters and expressions of them are not numbers: they refuse to become one, and say what to use instead."""

import copy
import math
import pickle
import warnings
from collections.abc import Callable
from typing import Any

import casadi as ca
import numpy as np
import pytest

import trundle as tr
from trundle.symbols.parameters import ParameterExpression

EXPRESSIONS: dict[str, Callable[[Any], Any]] = {
    "k": lambda k: k,
    "2 k": lambda k: 2 * k,
    "k 2": lambda k: k * np.float64(2.0),
    "-k": lambda k: -k,
    "1 / k - k**2": lambda k: 1 / k - k**2,
    "sqrt k": tr.sqrt,
    "atan2": lambda k: tr.atan2(1.0, k),
    "where": lambda k: tr.where(k > 1, k, 2.0),
    "abs": abs,
    "a comparison": lambda k: k > 0,
}


@pytest.fixture(scope="module")
def model() -> tr.Model:
    m = tr.Model("one mass")
    k = m.parameter("k", 2.0)
    m.body("mass", mass=2 * k, inertia=tr.sqrt(k))
    return m


@pytest.mark.parametrize("make", EXPRESSIONS.values(), ids=EXPRESSIONS)
@pytest.mark.parametrize("way", [float, int, bool, math.sin, lambda x: max(x, 1.0) if x else 0.0])
def test_expressions_of_parameters_are_not_numbers(
    model: tr.Model, make: Callable[[Any], Any], way: Callable[[Any], Any]
) -> None:
    with pytest.raises(TypeError, match=r"may change from run to run.*tr\.where"):
        way(make(model.parameters["k"].symbol))


def test_an_array_of_floats_is_refused(model: tr.Model) -> None:
    with pytest.raises((TypeError, ValueError)):
        np.array([2 * model.parameters["k"].symbol, 1.0], dtype=float)


@pytest.mark.parametrize("way", [copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))], ids=["copied", "pickled"])
def test_copies_and_pickles_are_no_numbers_either(model: tr.Model, way: Callable[[Any], tr.Model]) -> None:
    other = way(model)
    for expression in (other.parameters["k"].symbol, other.bodies["mass"].mass):
        with pytest.raises(TypeError, match="may change from run to run"):
            float(expression)


def test_what_is_decided_is_a_number(model: tr.Model) -> None:
    k = model.parameters["k"].symbol
    assert float(k - k) == 0.0 and bool(k == k) and int(0 * k + 3) == 3  # CasADi knows these


def test_expressions_of_the_motion_are_plain(model: tr.Model) -> None:
    """So that expressions of parameters in the equations cost no more than before."""
    k, q = model.parameters["k"].symbol, ca.SX.sym("q")
    assert type(k * q) is ca.SX and type(q * k) is ca.SX and type(tr.atan2(q, k)) is ca.SX
    assert type(3 * k) is ParameterExpression


def test_long_expressions_are_cut_in_the_message(model: tr.Model) -> None:
    k = model.parameters["k"].symbol
    with pytest.raises(TypeError, match=r"\.\.\.") as refused:
        float(sum((i * tr.sin(i * k) for i in range(1, 40)), k))
    assert len(str(refused.value)) < 400


def test_functions_of_numpy_keep_parameters_without_a_warning() -> None:
    k = tr.Model("m").parameter("k", 2.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = {f: f(k) for f in (np.sin, np.sqrt, np.exp, np.abs)} | {np.multiply: np.float64(2.0) * k}
    for function, expression in found.items():
        assert isinstance(expression, type(k + 1.0))
        expected = function(2.0, 2.0) if function is np.multiply else function(2.0)
        assert float(ca.substitute(expression, k, 2.0)) == pytest.approx(expected, rel=1e-15)
