"""Look-ups in tables: the right cell; machine code = lanes = interpreter = CasADi; finite derivatives of any order."""

import gc
from collections.abc import Sequence
from typing import Any

import casadi as ca
import numpy as np
import pytest

from trundle.derivative import derivative, derivative_along
from trundle.kernel import compile_kernels, host_lanes, read_tape
from trundle.kernel.interpret import interpret
from trundle.lookup import memory
from trundle.lookup.node import lift, look_up, read, written
from trundle.lookup.table import Table

T, X, P = ca.SX.sym("t"), ca.SX.sym("x", 2), ca.SX.sym("p", 1)
rng = np.random.default_rng(5)
KNOTS = {
    "uniform": np.linspace(-2.0, 3.0, 26),
    "random": np.sort(rng.uniform(-2, 3, 40)),
    "crowded": np.sort(np.concatenate([[-2.0, 3.0], 1 + 1e-9 * rng.uniform(size=60)])),
    "two": np.array([-1.0, 2.0]),
    "far": 1e9 + np.arange(7.0),
    "tiny": 1e-300 * np.array([1.0, 2.0, 2.5]),
}


def block(edges: np.ndarray) -> memory.Block:
    found = memory.Block([edges], memory.WORDS + 4, [(edges[0], edges[-1])])
    found.records[:] = 0.0
    found.records[:, memory.PLACE] = range(len(found.records))
    return found


@pytest.mark.parametrize("kind", KNOTS)
def test_the_cell_is_the_last_one_whose_edge_is_not_above(kind: str) -> None:
    edges = KNOTS[kind]
    table = block(edges)
    kernel = compile_kernels({"f": ca.Function("f", [T, X, P], [look_up(P, [X[0]], 1)])}, cache=None)["f"]
    span = edges[-1] - edges[0]
    points = [*edges, *np.nextafter(edges, np.inf), *np.nextafter(edges, -np.inf), -np.inf, np.inf, 1e300, -1e300]
    for x in [*points, *rng.uniform(edges[0] - span, edges[-1] + span, 200)]:
        expected = np.searchsorted(edges, x, side="right")
        assert kernel(0.0, [x, 0.0], [table.handle])[0] == expected
        assert memory.record(table.handle, [x], 1)[0] == expected


def agree(expressions: Sequence[Any], table: Table, points: np.ndarray) -> np.ndarray:
    """Values by machine code, after a comparison with lanes (to the bit), interpreter and CasADi."""
    function = ca.Function("f", [T, X, P], [ca.vertcat(*expressions)])
    scalar = compile_kernels({"f": function}, cache=None)["f"]
    wide = compile_kernels({"f": function}, lanes=host_lanes(), cache=None)["f"]
    tape, p = read_tape(function), [table.block.handle]
    points = np.concatenate([points, np.full((-len(points) % wide.lanes, 2), 0.1)])
    by_kernel = np.array([scalar(0.0, point, p) for point in points])
    lanes = [wide(0.0, group.T, np.full((1, wide.lanes), p[0])).T for group in points.reshape(-1, wide.lanes, 2)]
    np.testing.assert_array_equal(np.concatenate(lanes), by_kernel)
    size = np.nanmax(np.abs(np.where(np.isfinite(by_kernel), by_kernel, 0.0))) + 1.0
    with np.errstate(all="ignore"):
        by_interpreter = [interpret(tape, 0.0, point, p) for point in points]
        by_casadi = [np.array(function(0.0, point, p)).ravel() for point in points]
    np.testing.assert_allclose(by_interpreter, by_kernel, rtol=1e-12, atol=1e-14 * size)
    np.testing.assert_allclose(by_casadi, by_kernel, rtol=1e-12, atol=1e-14 * size)
    return by_kernel


def tables() -> dict[str, tuple[Table, int]]:
    x, x2 = KNOTS["random"], np.linspace(-1, 1, 7)
    y, z = rng.normal(size=(len(x), 3)), rng.normal(size=(len(x), 7, 2))
    return {
        "cubic": (Table(x, y), 1),
        "linear": (Table(x, y, "linear", "line"), 1),
        "steps": (Table(x, y, "previous"), 1),
        "refused": (Table(x, y, "monotone", "refuse"), 1),
        "quintic": (Table.hermite(x, np.sin(x), np.cos(x), -np.sin(x)), 1),
        "repeated": (Table(x, np.sin(2 * np.pi * (x - x[0]) / (x[-1] - x[0])).round(12), beyond="repeat"), 1),
        "two": (Table((x, x2), z, beyond=("line", "hold")), 2),
        "bilinear": (Table((x, x2), z, "linear", "refuse"), 2),
    }


@pytest.mark.parametrize("name", tables())
def test_all_ways_to_evaluate_agree_also_for_derivatives(name: str) -> None:
    table, n = tables()[name]
    arguments = [X[i] for i in range(n)]
    value = ca.sin(table.kind.value(P, arguments)) * X[1]
    first = derivative(value, X)
    along = derivative_along(first, X, ca.vertcat(0.3, -0.7))
    points = np.array([[np.nan, 0.2], [np.inf, 0.2], [-9.0, 0.2], [9.0, 3.0], *rng.uniform(-2.5, 3.5, (40, 2))])
    found = agree([value, ca.vec(first), ca.vec(derivative(ca.vec(first), X)), ca.vec(along)], table, points)
    inside = (points[:, 0] > table.x[0][0]) & (points[:, 0] < table.x[0][-1])
    inside &= (np.abs(points[:, 1]) < 1) | (n == 1)
    assert np.all(np.isfinite(found[: len(points)][inside]))
    assert np.all(np.isnan(found[0, : value.numel()]))  # of no number nothing is known


def test_second_derivatives_forwards_and_backwards() -> None:
    """Of one number by many symbols (reverse mode) and of many by one (forward mode): f = y(a b), by hand."""
    x = np.linspace(0, 4, 9)
    table = Table(x, x**3)  # a cubic spline is exact
    a = ca.SX.sym("a", 5)
    value = table.kind.value(P, [a[0] * a[1]]) + a[2] * a[3] * a[4]
    gradient = derivative(value, a)
    f = ca.Function("f", [a, P], [gradient, derivative(gradient.T, a)])
    slope, curvature = (np.array(v) for v in f([1.5, 1.2, 1, 1, 1], table.block.handle))
    s = 1.5 * 1.2
    assert slope[0, :2] == pytest.approx([3 * s**2 * 1.2, 3 * s**2 * 1.5], abs=1e-12)
    assert curvature[0, 0] == pytest.approx(6 * s * 1.2**2, abs=1e-11)
    assert curvature[0, 1] == pytest.approx(6 * s * 1.2 * 1.5 + 3 * s**2, abs=1e-11)
    many = ca.vertcat(*[table.kind.value(P, [k * a[0]]) for k in (1, 2, 3)])
    g = ca.Function("g", [a, P], [derivative(derivative(many, a[0]), a[0])])
    assert np.array(g([1.0, 0, 0, 0, 0], table.block.handle)).ravel() == pytest.approx([6, 48, 162], abs=1e-10)


def test_a_handle_that_is_stale_or_comes_from_elsewhere_leads_nowhere() -> None:
    table = Table([0, 1, 2], [1.0, 2.0, 3.0], "previous")
    kernel = compile_kernels({"f": ca.Function("f", [T, X, P], [table.kind.value(P, [X[0]])])}, cache=None)["f"]
    handle = table.block.handle
    assert kernel(0.0, [1.5, 0.0], [handle])[0] == 2.0
    for wrong in (0.0, 1.0, handle + 2.0**20, -3.0, 1e300, np.nan, np.inf):
        assert np.isnan(kernel(0.0, [1.5, 0.0], [wrong])[0])
    del table
    gc.collect()
    assert np.isnan(kernel(0.0, [1.5, 0.0], [handle])[0])
    assert np.isnan(memory.record(handle, [1.5], 12)[8])


def test_slots_are_used_again_and_their_old_handles_are_not() -> None:
    first = Table([0, 1], [1.0, 2.0]).block.handle
    gc.collect()
    others = [Table([0, 1], [1.0, 2.0]) for _ in range(5)]
    assert first not in [table.block.handle for table in others]
    assert memory.root(first) == memory.NOWHERE


def test_lifted_expressions_come_back_and_survive_as_text() -> None:
    table = Table((KNOTS["uniform"], [0, 1, 2]), rng.normal(size=(26, 3)))
    inner = table.kind.value(P, [X[0], X[1]])
    value = ca.vertcat(X[1] * table.kind.value(P, [inner, X[0]]), ca.SX(1, 1), inner)
    lifted = lift([value])
    assert lifted is not None and len(lifted.lookups) == 2 and not lift([X[0] * X[1]])
    names = {s.name() for s in ca.symvar(lifted.expressions[0])}
    assert all(f"lookup 1_{k}" in names for k in (3, 4, 8))
    text, lookups = written([X, P], [value])
    assert written([X, P], [value])[0] == text
    (again,) = read(text, lookups, [X, P])
    nodes = ca.vertcat(*[one.node for one in lifted.lookups])
    restored = ca.substitute(lifted.expressions[0], lifted.symbols, nodes)
    f = ca.Function("f", [X, P], [value, restored, again])
    for point in rng.uniform(-1, 2, (10, 2)):
        a, b, c = (np.array(v) for v in f(point, table.block.handle))
        assert np.array_equal(a, b) and np.array_equal(a, c)


def test_without_tables_nothing_is_differentiated_twice() -> None:
    """The plain path stays as it was: same expression, same number of operations."""
    value = ca.sin(X[0]) * X[1]
    assert str(derivative(value, X)) == str(ca.jacobian(value, X))
    assert read_tape(ca.Function("f", [T, X, P], [value])).operations == (
        ("x", 0, -1), ("x", 1, -1), ("sincos", 0, -1), ("sin", 2, -1), ("mul", 1, 3),
    )  # fmt: skip
