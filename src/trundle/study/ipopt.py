"""CasADi's interior-point solver IPOPT for functions that return values and gradients [Waechter 2006].

It fits smooth problems with gradients and many values or conditions: its steps come from a barrier that keeps inside
the ranges, with second derivatives estimated from the gradients met. It does not fit differences of runs, whose noise
spoils these estimates, and takes more evaluations than sequential quadratic programming where few values are varied.
"""

from collections.abc import Callable, Sequence
from typing import Protocol, final

import casadi as ca
import numpy as np

from trundle.errors import SolveError
from trundle.typing import Array, Options, Untyped


class Smooth(Protocol):
    """A function of values between 0 and 1, with its gradient."""

    def value(self, z: Array) -> float: ...
    def slope(self, z: Array) -> Array: ...


Ask = Callable[[Array], Array]


@final
class _Callback(ca.Callback):
    """Calls of Python functions from CasADi; errors are kept, because CasADi does not pass them on."""

    def __init__(self, name: str, ask: Ask, n: int, shape: tuple[int, int], slopes: "_Callback | None" = None) -> None:
        ca.Callback.__init__(self)
        self.ask, self.n, self.sizes, self.slopes = ask, n, shape, slopes
        self.error: BaseException | None = None
        self.construct(name, {})

    def get_n_in(self) -> int:
        return 1 if self.slopes else 2  # derivatives are given the values too

    def get_sparsity_in(self, i: int) -> Untyped:
        return ca.Sparsity.dense(self.n if i == 0 else self.sizes[0], 1)

    def get_sparsity_out(self, _: int) -> Untyped:
        return ca.Sparsity.dense(*self.sizes)

    def eval(self, given: Sequence[Untyped]) -> list[Untyped]:
        try:
            return [ca.DM(self.ask(np.array(given[0]).ravel()))]
        except BaseException as error:  # an interruption from the keyboard too
            self.error = error
            raise

    def has_jacobian(self) -> bool:
        return self.slopes is not None

    def get_jacobian(self, *_: object) -> Untyped:
        return self.slopes


def _callback(name: str, some: Sequence[Smooth], n: int) -> _Callback:
    slopes = _Callback(f"{name}_slopes", lambda z: np.array([f.slope(z) for f in some]), n, (len(some), n))
    return _Callback(name, lambda z: np.array([f.value(z) for f in some]), n, (len(some), 1), slopes)


def minimise(functions: Sequence[Smooth], z0: Array, tolerance: float, limit: int) -> tuple[Array, bool, int, str]:
    """The place between 0 and 1 at which the first function is least while no other is negative, whether it was found,
    the number of steps and what IPOPT says.
    """
    n, n_g = len(z0), len(functions) - 1
    blocks = [_callback("objective", functions[:1], n)]
    if n_g:
        blocks.append(_callback("conditions", functions[1:], n))
    z = ca.MX.sym("z", n)
    options: Options = {
        "ipopt.hessian_approximation": "limited-memory",
        "ipopt.tol": max(tolerance, 1e-12),
        "ipopt.max_iter": limit,
        "ipopt.bound_relax_factor": 0.0,
        "ipopt.print_level": 0,
        "ipopt.sb": "yes",
        "print_time": False,
    }
    problem: dict[str, Untyped] = {"x": z, "f": blocks[0](z), "g": blocks[1](z) if n_g else ca.MX(0, 1)}
    solver = ca.nlpsol("optimum", "ipopt", problem, options)
    try:
        found = solver(x0=z0, lbx=0.0, ubx=1.0, lbg=0.0, ubg=np.inf)
    except (RuntimeError, KeyboardInterrupt) as error:
        _raise_kept(blocks)
        raise SolveError(f"optimise: IPOPT failed: {error}") from error
    _raise_kept(blocks)
    stats = solver.stats()
    return (
        np.clip(np.array(found["x"]).ravel(), 0.0, 1.0), bool(stats["success"]), int(stats["iter_count"]),
        str(stats["return_status"]).replace("_", " "),
    )  # fmt: skip


def _raise_kept(blocks: Sequence[_Callback]) -> None:
    """Raise the original error of a function."""
    for block in blocks:
        for one in (block, block.slopes):
            if one is not None and one.error is not None:
                raise one.error
