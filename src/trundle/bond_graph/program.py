"""Expressions as data: a list of named operations on named inputs, which is written to JSON and interpreted. It
contains no executable code.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import final

import casadi as ca
import numpy as np

from trundle.bond_graph.arithmetic import BINARY, LOOKUP, UNARY, Number, binary, lookup, unary
from trundle.errors import StoreError
from trundle.kernel import read_tape
from trundle.kernel.tape import LEAVES
from trundle.typing import Array, Expr, State, Values

Step = tuple[str, int, int]  # operation, indices of its operands; -1 for none


@final
@dataclass(frozen=True)
class Program:
    """Numbers or matrices by rows from named inputs.

    All values form one list: the inputs, the constants, then the result of each operation; operands and outputs are
    indices in it.
    """

    shape: tuple[int, ...]
    inputs: tuple[str, ...]
    constants: tuple[float, ...]
    operations: tuple[Step, ...]
    outputs: tuple[int, ...]

    def evaluate(self, look: Callable[[str], Number]) -> tuple[Array, Array]:
        """Values of this shape, and their rates with one more axis, at inputs found by name."""
        with np.errstate(all="ignore"):
            values = [look(name) for name in self.inputs]
            still = np.zeros_like(values[0][1]) if values else np.zeros(1)
            values += [(constant, still) for constant in self.constants]
            for name, a, b in self.operations:
                if name in LOOKUP:
                    values.append(lookup(name, values[a], values[b] if b >= 0 else None))
                else:
                    values.append(unary(name, values[a]) if b < 0 else binary(name, values[a], values[b]))
        found = [values[k] for k in self.outputs]
        value = np.array([float(v) for v, _ in found]).reshape(self.shape)
        return value, np.array([rates for _, rates in found]).reshape(*self.shape, len(still))

    @property
    def is_zero(self) -> bool:
        """Whether all outputs are zero."""
        first = len(self.inputs)
        return all(first <= k < first + len(self.constants) and self.constants[k - first] == 0 for k in self.outputs)

    def to_dict(self) -> State:
        """Lists, words and numbers."""
        return {
            "shape": list(self.shape),
            "inputs": list(self.inputs),
            "constants": list(self.constants),
            "operations": [[name, a] if b < 0 else [name, a, b] for name, a, b in self.operations],
            "outputs": list(self.outputs),
        }

    @staticmethod
    def from_dict(given: Values) -> "Program":
        """The program of such a dictionary; StoreError if it is not valid."""
        try:
            steps = tuple((str(name), int(a), int(rest[0]) if rest else -1) for name, a, *rest in given["operations"])
            inputs, constants = tuple(map(str, given["inputs"])), tuple(map(float, given["constants"]))
            shape, outputs = tuple(map(int, given["shape"])), tuple(map(int, given["outputs"]))
        except (KeyError, TypeError, ValueError) as error:
            raise StoreError(f"an expression of the graph cannot be read ({type(error).__name__}: {error}).") from error
        known = len(inputs) + len(constants)
        for at, (name, a, b) in enumerate(steps, start=known):
            wanted = 1 if name in UNARY or name == "root" else 2 if name in BINARY or name in LOOKUP else 0
            if wanted == 0 or (b >= 0) != (wanted == 2) or not (0 <= a < at and b < at):
                raise StoreError(f"an expression of the graph has an operation {name!r} ({a}, {b}) that is not known.")
        if int(np.prod(shape)) != len(outputs) or not all(0 <= k < known + len(steps) for k in outputs):
            raise StoreError(f"an expression of the graph with the shape {shape} has {len(outputs)} outputs.")
        return Program(shape, inputs, constants, steps, outputs)


@final
class ProgramWriter:
    """Writes expressions of known symbols as programs."""

    def __init__(self, t: Expr, symbols: Expr, names: Sequence[str]) -> None:
        self._t, self._symbols, self._names = t, symbols, names

    def program(self, expression: Expr, *shape: int) -> Program:
        """An expression, matrices by rows; a column unless a shape is given."""
        value = ca.densify(ca.SX(expression))
        column = ca.vec(value.T) if len(shape) == 2 else ca.vec(value)
        function = ca.Function("node", [self._t, self._symbols, ca.SX(0, 1)], [column])
        tape = read_tape(function)
        leaves = [k for k, (name, _, _) in enumerate(tape.operations) if name in ("t", "x")]
        steps = [k for k, (name, _, _) in enumerate(tape.operations) if name not in LEAVES and name != "sincos"]
        known = [k for k, (name, _, _) in enumerate(tape.operations) if name == "const"]
        place = {k: i for i, k in enumerate((*leaves, *known, *steps))}
        for k, (name, a, _) in enumerate(tape.operations):
            if name == "sincos":  # its operand; the following operations compute sine and cosine
                place[k] = place[a]
        inputs = [self._input(*tape.operations[k]) for k in leaves]
        operations = [
            (name, place[a], place[b] if b >= 0 else -1) for name, a, b in (tape.operations[k] for k in steps)
        ]
        return Program(
            shape or (column.numel(),),
            tuple(inputs),
            tuple(tape.constants[tape.operations[k][1]] for k in known),
            tuple(operations),
            tuple(place[k] for k in tape.outputs),
        )

    def _input(self, name: str, place: int, _: int) -> str:
        return "t" if name == "t" else self._names[place]
