"""A book of FASTSIM: against FASTSIM itself, its limits, its derivatives, and in a kernel."""

from functools import partial

import casadi as ca
import numpy as np
import pytest

import trundle as tr
from trundle.derivative import derivative
from trundle.errors import ModelError
from trundle.kernel import compile_kernels
from trundle.rail import Book, CreepBook, Fastsim, Patch

COARSE = CreepBook(cells=10, creepages=13, shapes=6)  # cheap to make


def numbers(count: int) -> np.ndarray:
    rng = np.random.default_rng(8)
    t = rng.normal(size=(count, 3)) * rng.choice([0.1, 1.0, 2.0], size=(count, 1))
    return np.column_stack([t, np.exp(rng.uniform(np.log(0.2), np.log(5.0), count))])


def test_creep_book_agrees_with_fastsim():
    rows = numbers(2000)
    book, law = np.stack(Book(0.3, COARSE).shares(*rows.T)), np.stack(Fastsim(0.3).shares(*rows.T))
    error = (book - law) / np.array([np.ones(2000), np.ones(2000), 1 + rows[:, 3]])
    assert np.all(np.sqrt(np.mean(error**2, axis=1)) < [0.005, 0.012, 0.004])
    assert np.max(np.abs(error)) < 0.12


@pytest.mark.slow
def test_the_usual_book_is_better_than_ten_by_ten_cells():
    rows = numbers(4000)
    fine = np.stack(Fastsim(0.3, 40, 40).shares(*rows.T))
    error = [np.stack(law.shares(*rows.T))[:2] - fine[:2] for law in (Book(0.3, CreepBook()), Fastsim(0.3))]
    book, coarse = (np.sqrt(np.mean(e**2, axis=1)) for e in error)
    assert np.all(book < 0.3 * coarse) and np.all(book < 0.0045)


def test_small_creepages_and_full_slip():
    patch, N = Patch.ellipse(6.3e-3, 4.7e-3), 8e4
    law = Book(0.3, COARSE)
    for creep in ((1e-6, 0.0, 0.0), (0.0, 1e-6, 0.0), (0.0, 0.0, 1e-3)):
        found = law.force(*creep, N, patch)
        assert found.longitudinal == pytest.approx(-patch.f11 * creep[0], rel=0.01, abs=1e-3)
        assert found.lateral == pytest.approx(-patch.f22 * creep[1] - patch.f23 * creep[2], rel=0.01, abs=1e-3)
    for direction in ((1.0, 0.0), (0.0, -1.0), (0.6, 0.8)):
        found = law.force(*(50 * d for d in direction), 0.0, N, patch)
        assert np.hypot(*found[:2]) == pytest.approx(0.3 * N, rel=0.01)


def test_slopes_of_a_creep_book_are_continuous():
    """Across the borders of the pieces, in each argument, on the tape."""
    x, p = ca.SX.sym("x", 4), ca.SX.sym("p")
    law = Book(0.3, COARSE, lookup=lambda *a: COARSE.table.kind.value(p, a))
    out = ca.vertcat(*law.shares(*(x[i] for i in range(4))))
    slopes = ca.Function("s", [x, p], [out, derivative(out, x)])
    handle = COARSE.table.block.handle
    c = np.array([0.2, -0.3, 0.15])
    for axis in range(3):
        border = -1 + 2 / 12 * 8.5  # between two pieces
        here = c.copy()
        sides = []
        for shift in (-1e-9, 1e-9):
            here[axis] = border + shift
            t = 2 * here / (1 - here @ here)
            ratio = 0.8
            sides.append(slopes([t[0], t[1], t[2] / np.sqrt(1 + ratio**2), ratio], handle))
        assert np.array(sides[0][0]) == pytest.approx(np.array(sides[1][0]), abs=1e-7)
        assert np.array(sides[0][1]) == pytest.approx(np.array(sides[1][1]), abs=1e-6)


def test_a_kernel_reads_it():
    x, p = ca.SX.sym("x", 4), ca.SX.sym("p", 1)
    law = Book(0.3, COARSE, lookup=lambda *a: COARSE.table.kind.value(p[0], a))
    out = ca.densify(ca.vertcat(*law.shares(*(x[i] for i in range(4)))))
    kernel = compile_kernels({"f": ca.Function("f", [ca.SX.sym("t"), x, p], [out])})["f"]
    rows = numbers(40)
    rows[0] = [0.0, 0.0, 0.0, 1.0]
    rows[1] = [1e6, -1e5, 0.0, 30.0]  # beyond the shapes of the book
    found = np.array([kernel(0.0, row, [COARSE.table.block.handle]) for row in rows])
    assert found == pytest.approx(np.stack(Book(0.3, COARSE).shares(*rows.T), axis=-1), abs=1e-13)


def test_in_a_model():
    """A wheel that slides on a rail is braked by the book's force: v' = -F / m."""
    m = tr.Model("slider", gravity=(0, 0, 0))
    body = m.body("slider", mass=2.0)
    m.connect(tr.Prismatic("x"), m.ground, body)
    table, patch = m.table("creep", COARSE.table), Patch.ellipse(6e-3, 5e-3)
    law = Book(0.3, COARSE, lookup=table)
    creep = 1e-3
    m.apply(tr.Wrench(body, force=lambda s: (law.force(creep + 0 * s.t, 0.0, 0.0, 1e4, patch).longitudinal, 0, 0)))
    run = m.build().simulate(1.0)
    force = Book(0.3, COARSE).force(creep, 0.0, 0.0, 1e4, patch).longitudinal
    assert run.values("slider.displacement")[-1] == pytest.approx(force / 2 / 2.0, rel=1e-9)


@pytest.mark.parametrize(
    "wrong, said",
    [
        (partial(CreepBook, creepages=3), "take 5 to 40"),
        (partial(CreepBook, bound="flat"), "'parabolic' or 'elliptic'"),
        (partial(Book(0.3, COARSE).shares, ca.SX.sym("x"), 0.0, 0.0, 1.0), r"lookup=m\.table"),
    ],
)
def test_what_is_refused(wrong, said):
    with pytest.raises(ModelError, match=said):
        wrong()
