"""Operations that do the same side by side: the same numbers as one by one, in fewer instructions."""

import casadi as ca
import numpy as np
import pytest

from trundle.kernel import pack as packing
from trundle.kernel.fuse import fuse
from trundle.kernel.interpret import interpret
from trundle.kernel.jit import Shape, emit_object, host, load_kernels
from trundle.kernel.lower import lower
from trundle.kernel.read_tape import read_tape
from trundle.kernel.tape import LEAVES, PRODUCT, Tape, operands
from trundle.lookup.table import Table

U = np.linspace(-1.0, 1.0, 9)
TABLE = Table((U, U), np.sin(np.arange(1, 12) + U[:, None, None] + 2 * U[None, :, None]), beyond="hold")


def legs(count: int, twist: float = 0.0) -> ca.Function:
    """So many legs with the same algebra: tables, every operation that can be grouped, and some that cannot."""
    t, x, p = ca.SX.sym("t"), ca.SX.sym("x", 3 * count), ca.SX.sym("p", 2)
    out = []
    for leg in range(count):
        a, b, c = ca.vertsplit(x[3 * leg : 3 * leg + 3])
        found = TABLE.kind.value(p[0], [0.5 * ca.tanh(a), 0.5 * ca.sin(b + leg * twist)])
        angle = a * b + (-1.0) ** leg * twist + t
        e = ca.cos(angle) * found[0] - ca.sin(angle) * found[3] * p[1]
        f = ca.sqrt(1.0 + e**2) / (2.0 + ca.fabs(c)) + ca.exp(-(c**2)) * found[1]
        g = ca.fmax(f, -e) + ca.fmin(a, found[2]) - ca.atan(f * c) + ca.if_else(a < b, e, ca.copysign(f, c))
        out += [e, g * ca.sumsqr(found[4:]), ca.tan(f) - found[10], c - a]
    return ca.Function("f", [t, x, p], [ca.vertcat(*out)])


def compiled(tape: Tape, grouped: bool, chunk: int | None = None) -> tuple[np.ndarray, str]:
    ir, work = lower({"f": tape}, 1, host(), chunk, grouped)
    shape = Shape("f", 1, tape.n_x, tape.n_p, len(tape.outputs), work["f"])
    kernel = load_kernels(emit_object(ir), [shape])["f"]
    return np.array([kernel(0.2, x, P) for x in points(tape)]), ir


def points(tape: Tape) -> np.ndarray:
    return np.random.default_rng(3).normal(size=(5, tape.n_x))


P = np.array([TABLE.block.handle, 0.7])


@pytest.fixture
def of_any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """Groups are searched in short tapes too."""
    monkeypatch.setattr("trundle.kernel.lower._GROUPED", range(10**6))


@pytest.mark.usefixtures("of_any_size")
@pytest.mark.parametrize("chunk", [None, 20])
@pytest.mark.parametrize(("count", "twist"), [(2, 0.0), (3, 0.0), (4, 0.4), (8, 0.0)])
def test_groups_give_the_same_numbers(count: int, twist: float, chunk: int | None) -> None:
    if not host().fuses:
        pytest.skip("groups need fused products")
    tape = read_tape(legs(count, twist))
    (one_by_one, _), (at_once, ir) = compiled(tape, False), compiled(tape, True, chunk)
    assert "<8 x double>" in ir and "<2 x double>" in ir
    np.testing.assert_array_equal(at_once, one_by_one)
    wanted = [interpret(tape, 0.2, x, P) for x in points(tape)]
    np.testing.assert_allclose(at_once, wanted, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(("count", "part"), [(2, 0.56), (4, 0.35), (8, 0.3)])
def test_legs_alike_are_done_at_once(count: int, part: float) -> None:
    tape = fuse(read_tape(legs(count)))
    units = packing.pack(tape)
    in_order(tape, units)
    assert len(units) < part * sum(map(len, units))


def test_a_group_that_needs_itself_is_given_up() -> None:
    x = ca.SX.sym("x", 2)
    first = ca.exp(ca.sqrt(x[0]))
    second = ca.sqrt(ca.exp(x[1]))
    tape = read_tape(ca.Function("f", [ca.SX.sym("t"), x, ca.SX.sym("p", 0)], [ca.vertcat(first, second)]))
    by_name = {name: [v for v, (op, _, _) in enumerate(tape.operations) if op == name] for name in ("exp", "sqrt")}
    groups = packing._Packing(tape)
    assert groups.add(by_name["exp"]) and groups.add(by_name["sqrt"])
    assert groups.order() is None  # each group waits for the other
    units = groups.order()
    assert units is not None and sorted(map(len, units)) == [1, 1, 2]
    in_order(tape, units)


def in_order(tape: Tape, units: list[packing.Unit]) -> None:
    """Every operation is done once, after all that it needs."""
    done: set[int] = set()
    for unit in units:
        for v in unit:
            assert tape.operations[v][0] not in (*LEAVES, PRODUCT)
            assert all(i in done or tape.operations[i][0] in LEAVES for i in operands(tape.operations, v))
        assert not done & set(unit)
        done |= set(unit)
    assert len(done) == sum(op not in (*LEAVES, PRODUCT) for op, _, _ in tape.operations)


@pytest.mark.usefixtures("of_any_size")
def test_no_groups_are_looked_for_without_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """The search would take longer than all else, and such code would not run faster."""
    monkeypatch.setattr("trundle.kernel.lower.pack", lambda tape: pytest.fail("looked for groups"))
    t, x, p = ca.SX.sym("t"), ca.SX.sym("x", 8), ca.SX.sym("p")
    tape = read_tape(ca.Function("alike", [t, x, p], [ca.sqrt(x + p) * ca.exp(x)]))
    ir, _ = lower({"alike": tape}, 1, host(), grouped=True)
    assert "<8 x double>" not in ir
