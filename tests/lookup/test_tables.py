"""Tables of numbers: equal to SciPy's splines, whatever the knots; read from files and arrays; bad ones are named."""

import copy
import pickle
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np
import pytest
import xarray as xr
from scipy.interpolate import BPoly, CubicSpline, PchipInterpolator, PPoly, RectBivariateSpline, RegularGridInterpolator

from trundle.derivative import derivative
from trundle.errors import ModelError, UnknownNameError
from trundle.kernel import compile_kernels
from trundle.lookup.node import lift
from trundle.lookup.table import Table

rng = np.random.default_rng(11)
X = np.cumsum(rng.uniform(0.2, 1.5, 15)) - 4
Y = rng.normal(size=(15, 2))
ROUND = np.concatenate([Y[:-1], Y[:1]])
C = np.random.default_rng(12).normal(size=(8, 14, 2))


def compiled(table: Table, orders: int) -> Any:
    """Values and derivatives by the last argument, by machine code."""
    t, x, p = ca.SX.sym("t"), ca.SX.sym("x", len(table.x)), ca.SX.sym("p", 1)
    value = table.kind.value(p, ca.vertsplit(x))
    columns = [value]
    for _ in range(orders):
        columns.append(derivative(columns[-1], x[0]))
    function = ca.Function("f", [t, x, p], [ca.densify(ca.vertcat(*columns))])
    kernel = compile_kernels({"f": function}, cache=None)["f"]
    return lambda *at: kernel(0.0, at, [table.block.handle]).reshape(orders + 1, -1)


@pytest.mark.parametrize(
    ("table", "reference"),
    [
        (Table(X, Y), CubicSpline(X, Y)),
        (Table(X[:3], Y[:3]), CubicSpline(X[:3], Y[:3])),
        (Table(X[:2], Y[:2]), CubicSpline(X[:2], Y[:2])),
        (Table(X, Y, "monotone"), PchipInterpolator(X, Y)),
        (Table(X, ROUND, beyond="repeat"), CubicSpline(X, ROUND, bc_type="periodic")),
        (Table.hermite(X, Y, Y[::-1], -Y), BPoly.from_derivatives(X, np.stack([Y, Y[::-1], -Y], axis=1))),
        (Table.polynomials(X, C), PPoly(C[::-1], X)),
    ],
    ids=["cubic", "three", "two", "monotone", "periodic", "quintic", "degree 7"],
)
def test_values_and_derivatives_are_those_of_scipy(table: Table, reference: Any) -> None:
    f = compiled(table, 3)
    slopes = [reference.derivative(k) for k in (1, 2, 3)]
    knots = () if table.beyond == ("repeat",) else table.x[0][:-1]  # (which SciPy does not meet to the bit there)
    for at in [*knots, *rng.uniform(table.x[0][0], table.x[0][-1], 100)]:
        found, expected = f(at), [reference(at), *(s(at) for s in slopes)]
        for k in range(4):
            assert found[k] == pytest.approx(expected[k], rel=1e-13, abs=1e-13 * 20**k)
        assert table(at) == pytest.approx(found[0], rel=1e-13, abs=1e-13)


def test_beyond_the_knots() -> None:
    spline = CubicSpline(X, Y)
    far = np.array([X[0] - 2, X[-1] + 3])
    held, along = compiled(Table(X, Y), 1), compiled(Table(X, Y, beyond="line"), 2)
    for end, at in zip((X[0], X[-1]), far, strict=True):
        assert held(at)[0] == pytest.approx(spline(end), abs=1e-13) and np.all(held(at)[1] == 0)
        assert along(at)[0] == pytest.approx(spline(end) + (at - end) * spline(end, 1), abs=1e-12)
        assert along(at)[1] == pytest.approx(spline(end, 1), abs=1e-12) and np.all(along(at)[2] == 0)
    refused = Table(X, Y, beyond="refuse")
    f = compiled(refused, 1)
    assert np.all(np.isnan(f(far[0]))) and np.all(np.isnan(f(far[1])))
    span = X[-1] - X[0]
    assert f(X[-1])[0] == pytest.approx(Y[-1]) and np.all(np.isfinite(f(X[-1] + 1e-13 * span)))
    assert np.all(np.isfinite(f(X[0] - 1e-13 * span))) and refused.refuses([X[-1]]) is None
    assert refused.refuses([far[0]]) == refused.refuses([far[1]]) == refused.refuses([np.nan]) == 0
    again = compiled(Table(X, ROUND, beyond="repeat"), 2)
    for at in rng.uniform(X[0], X[-1], 20):
        for turns in (-3, -1, 2):
            assert again(at + turns * span) == pytest.approx(again(at), rel=1e-9, abs=1e-9)


def test_steps_hold_the_last_knot_that_was_passed() -> None:
    """A table of rows: the row of a whole number, however far."""
    rows = rng.normal(size=(6, 40))
    table = Table(np.arange(6), rows, "previous")
    f = compiled(table, 1)
    for i in range(6):
        for at in (i, i + 0.999 if i < 5 else i):
            assert np.array_equal(f(at), [rows[i], np.zeros(40)]) and np.array_equal(table(at), rows[i])
    assert np.array_equal(f(-3)[0], rows[0]) and np.array_equal(f(77)[0], rows[5])


def test_two_arguments() -> None:
    x1, x2 = X[:9], np.cumsum(rng.uniform(0.1, 1, 7))
    z = rng.normal(size=(9, 7, 2))
    cubic, linear = compiled(Table((x1, x2), z), 1), compiled(Table((x1, x2), z, "linear"), 0)
    splines = [RectBivariateSpline(x1, x2, z[..., i]) for i in (0, 1)]
    straight = RegularGridInterpolator((x1, x2), z)
    for at in rng.uniform([x1[0], x2[0]], [x1[-1], x2[-1]], (60, 2)):
        assert cubic(*at)[0] == pytest.approx([float(s.ev(*at)) for s in splines], abs=1e-12)
        assert cubic(*at)[1] == pytest.approx([float(s.ev(*at, dx=1)) for s in splines], abs=1e-11)
        assert linear(*at)[0] == pytest.approx(straight(at)[0], abs=1e-13)
        assert Table((x1, x2), z)(*at) == pytest.approx(cubic(*at)[0], abs=1e-12)
    line = compiled(Table((x1, x2), z, beyond=("hold", "line")), 1)
    corner = line(x1[0] - 5, x2[-1] + 2)
    edge = [float(s.ev(x1[0], x2[-1]) + 2 * s.ev(x1[0], x2[-1], dy=1)) for s in splines]
    assert corner[0] == pytest.approx(edge, abs=1e-10) and np.all(corner[1] == 0)


def test_arrays_are_taken_as_a_whole_grid() -> None:
    table = Table((X, [0.0, 1.0]), np.ones((15, 2)))
    assert table(X[:, None], np.array([[0.2, 0.7, 4.0]])).shape == (15, 3)
    assert Table(X, Y)(X[:, None] * np.ones(3)).shape == (15, 3, 2)


def test_a_table_is_immutable_and_can_be_pickled() -> None:
    y = Y.copy()
    table = Table(X, y, unit="N", text="force of the spring", arguments=["stretch (m)"], outputs=["left", "right"])
    y[:] = 0
    assert np.array_equal(table.y, Y)
    with pytest.raises(AttributeError, match="cannot be changed"):
        table.unit = "kN"
    with pytest.raises(ValueError, match="read-only"):
        table.y[0] = 1
    assert copy.deepcopy(table) is table
    other = pickle.loads(pickle.dumps(table))
    assert other.digest == table.digest and other.outputs == ("left", "right") and other.unit == "N"
    assert np.array_equal(compiled(other, 0)(0.3), compiled(table, 0)(0.3))
    assert Table(X, Y).digest == table.digest != Table(X, Y, beyond="line").digest
    assert "15 knots" in repr(table)


def test_each_derivative_is_rougher_than_what_it_is_taken_of() -> None:
    """The second derivative of a cubic spline has kinks, and so have the slope of PCHIP and straight lines."""
    p, x = ca.SX.sym("p"), ca.SX.sym("x")
    for table, smooth in ((Table(X, Y), 2), (Table(X, Y, "monotone"), 1), (Table(X, Y, "linear"), 0)):
        value = table.kind.value(p, [x])
        for order in range(4):
            (lookup,) = {one.smooth for one in lift([value]).lookups} if lift([value]) else {smooth - order}
            assert lookup == smooth - order or value.is_constant()
            value = derivative(value, x)


class TestFiles:
    def test_columns_of_a_csv_file(self, tmp_path: Path) -> None:
        file = tmp_path / "road.csv"
        file.write_text("# measured\ns, left, right\n0, 1, 2\n1, 3, 5\n2.5, -1, 0\n")
        one, two = Table.from_csv(file, "s", "right"), Table.from_csv(file, "s", ["right", "left"], between="linear")
        assert np.array_equal(one.y, [2, 5, 0]) and one.arguments == ("s",) and one.kind.outputs == 0
        assert np.array_equal(two.y, [[2, 1], [5, 3], [0, -1]]) and two.outputs == ("right", "left")

    def test_two_arguments_in_any_order(self, tmp_path: Path) -> None:
        file = tmp_path / "map.csv"
        rows = [(a, b, 10 * a + b) for a in (0, 1, 2) for b in (5, 7)]
        rng.shuffle(rows)
        file.write_text("a;b;torque\n" + "\n".join(f"{a};{b};{c}" for a, b, c in rows))
        table = Table.from_csv(file, ["a", "b"], "torque")
        assert np.array_equal(table.y, [[5, 7], [15, 17], [25, 27]]) and table.arguments == ("a", "b")
        file.write_text("a,b,torque\n0,5,1\n1,7,2\n0,7,3\n")
        with pytest.raises(ModelError, match=r"every pair of their values once; there are 3 rows for 2 x 2"):
            Table.from_csv(file, ["a", "b"], "torque")

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("s,y\n0,1\n1,two\n", "row 2 has 'two' in column 'y'"),
            ("s,y\n0,1\n1\n", "row 2 has 1 entries where the first line names 2"),
            ("s,z\n0,1\n", "'y'"),
            ("", "is empty"),
            ("s,y,y\n0,1,2\n", "has 2 columns called 'y'"),
            ("s,y\n0,1\n0,2\n", "must increase"),
        ],
    )
    def test_what_cannot_be_read_is_named(self, tmp_path: Path, text: str, words: str) -> None:
        file = tmp_path / "bad.csv"
        file.write_text(text)
        with pytest.raises((ModelError, UnknownNameError), match=words):
            Table.from_csv(file, "s", "y")

    def test_no_such_file(self, tmp_path: Path) -> None:
        with pytest.raises(ModelError, match=r"cannot read .*none.csv: No such file"):
            Table.from_csv(tmp_path / "none.csv", "s", "y")
        (tmp_path / "bytes.csv").write_bytes(b"\xff\xfe\x00")
        with pytest.raises(ModelError, match="not a text file"):
            Table.from_csv(tmp_path / "bytes.csv", "s", "y")

    def test_labelled_arrays(self) -> None:
        array = xr.DataArray(
            rng.normal(size=(2, 4, 3)), dims=("side", "speed", "throttle"),
            attrs={"units": "N m", "long_name": "torque"},
            coords={"side": ["l", "r"], "speed": [0, 1, 2, 3.5], "throttle": [0, 0.5, 1]},
        )  # fmt: skip
        array.coords["speed"].attrs["units"] = "rad/s"
        table = Table.from_xarray(array, outputs="side")
        assert table.y.shape == (4, 3, 2) and table.arguments == ("speed (rad/s)", "throttle")
        assert (table.unit, table.text, table.outputs) == ("N m", "torque", ("l", "r"))
        assert table(2, 0.5) == pytest.approx(array.sel(speed=2, throttle=0.5).values)
        with pytest.raises(ModelError, match="'b' has no coordinates"):
            Table.from_xarray(xr.DataArray(np.ones((2, 2)), dims=("a", "b"), coords={"a": [0, 1]}))
        with pytest.raises(UnknownNameError, match="speed"):
            Table.from_xarray(array, outputs="sped")


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Table([0, 2, 1], [0, 0, 0]), r"x of a table must increase, but 2 at place 1 is followed by 1"),
        (lambda: Table([0, 1, 1], [0, 0, 0]), "remove duplicates"),
        (lambda: Table([0, np.nan], [0, 0]), "x of a table holds nan at place 1"),
        (lambda: Table([0, 1], [0, np.inf]), "y of a table holds inf"),
        (lambda: Table([0], [0]), "1 knot"),
        (lambda: Table([], []), "0 knot"),
        (lambda: Table([0, 1], [0, 1, 2]), r"shape \(3,\); for these knots it must be \(2,\)"),
        (lambda: Table(([0, 1], [0, 1, 2]), np.ones((3, 2))), r"it must be \(2, 3\)"),
        (lambda: Table(([0, 1], [0, 1], [0, 1]), np.ones((2, 2, 2))), "one argument or two"),
        (lambda: Table([0, 1], [0, 1], "spline"), "'cubic', 'linear', 'monotone' or 'previous'"),
        (lambda: Table([0, 1], [0, 1], beyond="stop"), "'hold', 'line', 'refuse' or 'repeat'"),
        (lambda: Table([0, 1], [0, 1], beyond=("hold", "line")), "one for each"),
        (lambda: Table(([0, 1], [0, 1]), np.ones((2, 2)), "monotone"), "one argument"),
        (lambda: Table([0, 1, 2], [0, 1, 2], beyond="repeat"), "differ by 2"),
        (lambda: Table.hermite([0, 1], [0, 1], [0, 1, 2], [0, 1]), "f1 has the shape"),
        (lambda: Table.polynomials([0, 1, 2], [[0, 1, 2], [0, 1, 2]]), "c has the shape"),
        (lambda: Table.polynomials([0, 1], [[0]]), "the degree at least 1"),
        (lambda: Table.polynomials([0, 1], [[0], [np.nan]]), "c of a table holds nan"),
        (lambda: Table([0, 1], ["a", "b"]), "must be numbers"),
        (lambda: Table([0, 1], [0, 1], arguments=["a", "b"]), "2 names for 1"),
        (lambda: Table([0, 1], [0, 1], outputs=["a", "b"]), "2 names for 1"),
        (lambda: Table([0, 5e-324, 1], [0, 1e300, 0]), "too close together"),
        (lambda: Table(([0, 1], [0, 1]), np.ones((2, 2, 300))), "too many"),
    ],
)
def test_bad_tables_are_named(make: Any, words: str) -> None:
    with np.errstate(all="ignore"), pytest.raises(ModelError, match=words):
        make()


def test_pictures_of_tables() -> None:
    figure = Table(X, Y, text="two curves", unit="N", outputs=["left", "right"]).plot()
    (axes,) = figure.axes
    assert figure.get_suptitle() == "two curves" and len(axes.lines) == 4
    figure = Table((X, [0.0, 1.0, 2.0]), rng.normal(size=(15, 3)), arguments=["speed", "throttle"]).plot()
    assert figure.axes[0].get_ylabel() == "throttle"
