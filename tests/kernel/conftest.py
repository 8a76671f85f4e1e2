"""Functions to compile, and a cache of their own for the tests."""

from collections.abc import Callable
from pathlib import Path

import casadi as ca
import pytest


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No test reads or writes the cache of the user."""
    monkeypatch.setenv("TRUNDLE_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture(scope="session")
def tangle() -> Callable[..., ca.Function]:
    """Builder of functions with many operations of all sorts, values that live long, and sparse outputs."""

    def build(rounds: int = 20, n_x: int = 6, n_p: int = 2) -> ca.Function:
        t, x, p = ca.SX.sym("t"), ca.SX.sym("x", n_x), ca.SX.sym("p", n_p)
        y = x
        for k in range(rounds):
            z = ca.vertcat(y[1:], y[0])
            y = ca.sin(y) * z / (2 + ca.cos(z)) + 0.3 * x * ca.cos(y) + t - ca.sumsqr(p)
            if k % 5 == 4:
                y = ca.if_else(y > 0.2, ca.tanh(y), ca.sqrt(ca.fabs(y)) - 0.1)
        sparse = ca.SX(n_x, n_x)
        for k in range(n_x):
            sparse[k, (2 * k + 1) % n_x] = y[k]
        return ca.Function("tangle", [t, x, p], [y, sparse, ca.vertcat(x[0], 0, 3.5)])

    return build
