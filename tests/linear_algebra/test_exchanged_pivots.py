"""Whether loads with friction are possible in one way only does not depend on the order of the contacts."""

import casadi as ca
import numpy as np
import pytest

from trundle.linear_algebra.active_rows import ActiveRows
from trundle.linear_algebra.kkt import KKT, KKTRow, Sparse

SPEEDS, CONTACTS = 6, 5


def contacts(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows of five normals over speeds of unit masses, of which three are independent, and columns of their loads with
    friction.
    """
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(CONTACTS, 3)) @ rng.normal(size=(3, SPEEDS))
    return rows, rows - rng.uniform(0.5, 1.5) * rng.normal(size=(CONTACTS, SPEEDS))


def judged(solver: type[KKT] | type[ActiveRows], rows: np.ndarray, columns: np.ndarray) -> float:
    """What the solver says, for contacts of equal weight."""
    mass: list[Sparse] = [{k: ca.SX(1)} for k in range(SPEEDS)]
    given = [
        KKTRow({k: ca.SX(v) for k, v in enumerate(row)}, i, column={k: ca.SX(v) for k, v in enumerate(column)},
               shared=True, inertia=ca.SX(1))
        for i, (row, column) in enumerate(zip(rows, columns, strict=True))
    ]  # fmt: skip
    found = solver(mass, given, list(range(SPEEDS)), ca.SX(1e-12)).solve_with_friction({}, {}, {})
    return float(ca.Function("judged", [], [found.solvable[0]])()["o0"])


def test_the_judgement_of_redundant_contacts_does_not_depend_on_their_order() -> None:
    """It goes with the eigenvalues of the matrix of the loads: on equal springs they run away where one is negative."""
    told = []
    for seed in range(24):
        rows, columns = contacts(seed)
        eigenvalues = np.linalg.eigvals(rows @ columns.T)
        stable = bool(np.min(eigenvalues[np.argsort(-np.abs(eigenvalues))][:3].real) > 0)
        orders = (slice(None), slice(None, None, -1))
        assert [judged(ActiveRows, rows[k], columns[k]) > 0 for k in orders] == [stable] * 2, seed
        told.append(stable)
    assert 0 < told.count(False) < 12


@pytest.mark.parametrize("solver", [KKT, ActiveRows])
def test_a_contact_that_would_jam_alone_may_come_first(solver: type[KKT] | type[ActiveRows]) -> None:
    """[-1 2; -2 3] has the determinant 1 and the pivots -1 and -1, or 3 and 1/3 in the other order; -1 of a contact in
    both orders is the paradox of two that have nothing to do with each other.
    """
    rows, columns = np.eye(2, SPEEDS), np.zeros((2, SPEEDS))
    columns[:, :2] = [[-1, -2], [2, 3]]  # accelerations by each load
    assert judged(solver, rows, columns) == pytest.approx(1.0, rel=1e-3)
    coupled = np.zeros((2, SPEEDS))
    coupled[:, :2] = [[-1, 0], [1e-3, -1]]
    assert judged(solver, rows, coupled) < 0
