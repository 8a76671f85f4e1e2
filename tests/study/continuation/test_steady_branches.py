"""Steady motions over speed: they change stability where `stability` says."""

import numpy as np
import pytest

import trundle as tr
from trundle.bicycle.whipple import benchmark
from trundle.study import steady
from trundle.study.continuation import steady_curve

# Meijaard, Papadopoulos, Ruina and Schwab (2007): weave and capsize speed of the benchmark bicycle.
WEAVE, CAPSIZE = 4.292382536341, 6.024262015388


def test_weave_is_a_hopf_point_and_capsize_a_branch_point_from_which_steady_turns_begin() -> None:
    system = benchmark().build()
    straight = tr.continuation(system, "speed", (3.5, 6.5), "steady", start={"roll": 0.0}, step=0.4)
    hopf, capsize = straight.special
    assert (hopf.kind, capsize.kind) == ("Hopf", "branch point")
    assert hopf.parameter == pytest.approx(WEAVE, abs=1e-9)
    assert capsize.parameter == pytest.approx(CAPSIZE, abs=1e-8)
    assert np.array_equal(straight.stable, (straight.parameter > WEAVE) & (straight.parameter < CAPSIZE))
    turns = straight.switch(capsize, 0.1)
    assert turns.special == () and not turns.stable.any()
    run = system.simulate(0.5, turns.state(3), rtol=1e-11)  # a steady turn goes on as it is
    assert run.values("roll") == pytest.approx(run.values("roll")[0], abs=1e-6)
    assert abs(run.values("roll")[0]) > 1e-3


def test_points_of_a_branch_do_not_depend_on_how_the_null_space_is_turned(monkeypatch: pytest.MonkeyPatch) -> None:
    """A library of linear algebra gives any basis of it: the bicycle has three symmetries."""
    system = benchmark().build()

    def points() -> np.ndarray:
        return tr.continuation(system, "speed", (3.5, 6.5), "steady", start={"roll": 0.0}, step=0.4).parameter

    first, svd, rng = points(), np.linalg.svd, np.random.default_rng(5)

    def turned(matrix: np.ndarray, full_matrices: bool) -> tuple[np.ndarray, ...]:
        U, values, V = svd(matrix, full_matrices=full_matrices)
        rank = int(np.sum(values > steady.SYMMETRIC))
        size = len(V) - rank
        return U, values, np.vstack([V[:rank], np.linalg.qr(rng.normal(size=(size, size)))[0] @ V[rank:]])

    def symmetries(*given: object) -> object:
        with monkeypatch.context() as patch:
            patch.setattr(np.linalg, "svd", turned)
            return steady.symmetries(*given)

    monkeypatch.setattr(steady_curve, "symmetries", symmetries)
    np.testing.assert_allclose(points(), first, rtol=0, atol=1e-8)
