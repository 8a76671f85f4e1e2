"""CasADi functions evaluated in place, for numbers that are often needed outside the kernels."""

from typing import final

import numpy as np

from trundle.typing import AnyArray, Array, Expr, TapeFunction, Untyped


@final
class InPlace:
    """A CasADi function with arrays that it reads and writes in place: ten times faster than a call with numpy
    arguments.
    """

    def __init__(self, f: TapeFunction) -> None:
        self.function = f
        buffer: Untyped
        buffer, self._evaluate = f.buffer()
        self._buffer = buffer
        self._inputs = [np.zeros(f.numel_in(i)) for i in range(f.n_in())]
        self._outputs = [np.zeros(f.size_out(i), order="F") for i in range(f.n_out())]
        for i, array in enumerate(self._inputs):
            buffer.set_arg(i, array.data)
        for i, array in enumerate(self._outputs):
            buffer.set_res(i, array.reshape(-1, order="F").data)

    def __call__(self, *values: Expr) -> list[Array]:
        for array, given in zip(self._inputs, values, strict=True):
            array[:] = given
        self._evaluate()
        return [v.copy() for v in self._outputs]

    def together(self, *values: Expr) -> list[Array]:
        """The outputs (cases, rows, columns) for many cases; each input has a row per case, or is common to all."""
        return together(self.function, *values)

    def needs(self, place: int) -> AnyArray:
        """Mask of the entries of an input on which any output depends."""
        return needs(self.function, place)


def together(f: TapeFunction, *values: Expr) -> list[Array]:
    """A CasADi function for many cases at once, as `InPlace.together`."""
    cases = max(len(v) for v in values if np.ndim(v) == 2)
    found = f(*(v.T if np.ndim(v) == 2 else v for v in values))
    shapes = [f.size_out(i) for i in range(f.n_out())]
    numbers = [np.array(v.full()) for v in (found if isinstance(found, tuple) else (found,))]
    return [v.reshape(m, cases, n).transpose(1, 0, 2) for v, (m, n) in zip(numbers, shapes, strict=True)]


def needs(f: TapeFunction, place: int) -> AnyArray:
    """Mask of the entries of an input of a CasADi function on which any output depends."""
    found = np.zeros(f.numel_in(place), bool)
    for i in range(f.n_out()):
        found[f.jac_sparsity(i, place).get_col()] = True
    return found
