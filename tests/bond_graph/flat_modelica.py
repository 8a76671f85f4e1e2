"""Accelerations from the flat equations that a Modelica compiler makes of an exported package.

The compiler resolves classes, inheritance and connections; its list of equations is read here into CasADi. Flow seals
are equations of velocities, so the list is differentiated once, and both are solved together.
"""

import ast
import re
from typing import Any

import casadi as ca
import numpy as np
from scipy.linalg import lstsq

NAME = re.compile(r"[A-Za-z_]\w*(?:\[\d+\](?=\.)|\.(?=[A-Za-z_])\w+)*")
FUNCTIONS: dict[str, Any] = {
    "cross": lambda a, b: ca.cross(a, b), "transpose": lambda a: a.T, "sqrt": ca.sqrt, "sin": ca.sin, "cos": ca.cos,
    "tan": ca.tan, "atan2": ca.atan2, "exp": ca.exp, "log": ca.log, "abs": ca.fabs, "tanh": ca.tanh, "floor": ca.floor,
    "asin": ca.asin, "acos": ca.acos, "atan": ca.atan, "sign": ca.sign, "min": ca.fmin, "max": ca.fmax,
}  # fmt: skip


class Flat:
    """Variables and residuals of a flat class."""

    def __init__(self, text: str) -> None:
        head, _, body = text.partition("\nequation\n")
        self.time = ca.SX.sym("time")
        self.symbols: dict[str, Any] = {}
        self.given: dict[str, float] = {}
        for line in head.splitlines():
            found = re.match(
                r"  (parameter |input )?Real(\[[\d, ]+\])? ([\w.\[\]]+?)(?:\(.*\))?(?: = ([-\d.e]+))?[; ]", line
            )
            if found is None:
                continue
            shape = ast.literal_eval(found[2]) if found[2] else [1]
            self.symbols[found[3]] = ca.SX.sym(found[3], *shape)
            if found[1] == "parameter ":
                self.given[found[3]] = float(found[4])
        self.rates = {name: ca.SX.sym(f"der({name})", *s.shape) for name, s in self.symbols.items()}
        lines = [line.strip() for line in body.rpartition("\nend ")[0].split(";") if line.strip()]
        self.residuals = [self._residual(line) for line in lines]

    def _residual(self, line: str) -> Any:
        left, _, right = line.partition(" = ")
        a, b = (self._value(ast.parse(self._python(side), mode="eval").body) for side in (left, right))
        return ca.vec(ca.SX(a) - ca.SX(b))

    def _python(self, text: str) -> str:
        """Python that has the same tree: names as strings, arrays as lists, conditions as calls."""
        text = re.sub(r"if (.*?) then (.*?) else ([^()]*|\(.*?\))(?=\)|$)", r"IF(\1, \2, \3)", text)
        text = text.replace("<>", "!=").replace("^", "**").replace("{", "[").replace("}", "]")

        def named(found: re.Match[str]) -> str:
            word = found[0]
            return word if word in (*FUNCTIONS, "der", "IF", "and", "or", "e") else f"N({word!r})"

        return re.sub(r"(?<![\w.])" + NAME.pattern, named, text)

    def _value(self, node: ast.expr) -> Any:
        match node:
            case ast.Constant(value=value):
                return ca.SX(float(value))
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -self._value(operand)
            case ast.BinOp(left=left, op=op, right=right):
                a, b = self._value(left), self._value(right)
                if isinstance(op, ast.Mult):
                    return ca.mtimes(a, b) if a.numel() > 1 and b.numel() > 1 else a * b
                return (
                    {ast.Add: a + b, ast.Sub: a - b}.get(type(op))
                    if isinstance(op, ast.Add | ast.Sub)
                    else (a / b if isinstance(op, ast.Div) else a**b)
                )
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                a, b = self._value(left), self._value(right)
                return {ast.Lt: a < b, ast.LtE: a <= b, ast.Gt: a > b, ast.Eq: a == b, ast.NotEq: a != b}[type(op)]
            case ast.List(elts=elements):
                values = [self._value(one) for one in elements]
                return ca.vertcat(*[v.T if v.numel() > 1 else v for v in values])
            case ast.Subscript(value=value, slice=index):
                return _part(self._value(value), index)
            case ast.Call(func=ast.Name(id="N"), args=[ast.Constant(value=name)]):
                return self.time if name == "time" else self.symbols[str(name)]
            case ast.Call(func=ast.Name(id="der"), args=[inner]):
                names = list(self.symbols)
                value = self._value(inner)
                return ca.jtimes(value, ca.veccat(*self.symbols.values()), ca.veccat(*[self.rates[n] for n in names]))
            case ast.Call(func=ast.Name(id="IF"), args=[test, yes, no]):
                return ca.if_else(self._value(test), self._value(yes), self._value(no))
            case ast.Call(func=ast.Name(id=name), args=arguments):
                return FUNCTIONS[name](*[self._value(one) for one in arguments])
        raise AssertionError(ast.dump(node))

    def rates_at(self, state: dict[str, Any], wanted: list[str]) -> dict[str, np.ndarray]:
        """Rates of variables at a state; Newton's method on the equations and their derivatives."""
        names = [n for n in self.symbols if n not in self.given]
        y, dy = (ca.veccat(*[of[n] for n in names]) for of in (self.symbols, self.rates))
        ddy, p = ca.SX.sym("ddy", dy.numel()), [self.symbols[n] for n in self.given]
        F = ca.veccat(*self.residuals)
        dF = ca.jtimes(F, y, dy) + ca.jtimes(F, dy, ddy) + ca.jacobian(F, self.time)
        known = ca.veccat(*[self.symbols[n] for n in state])
        held = ca.veccat(*[ca.DM(np.asarray(state[n], float)) for n in state])
        every = ca.vertcat(y, dy, ddy)
        full = ca.vertcat(F, dF, known - held)
        full = ca.substitute([full], p, [ca.SX(v) for v in self.given.values()])[0] if p else full
        function = ca.Function("full", [every, self.time], [full, ca.jacobian(full, every)])
        x = np.full(every.numel(), 0.1)  # nothing is divided by zero
        x[np.array(ca.DM(ca.Function("at", [every], [ca.jacobian(known, every)])(x))).argmax(axis=1)] = np.array(
            held
        ).ravel()
        for _ in range(25):
            value, slope = function(x, 0.0)
            step = lstsq(np.array(ca.DM(slope)), np.array(value).ravel(), cond=1e-11, lapack_driver="gelsy")[0]
            x = x - step
            if np.max(np.abs(step)) < 1e-11 * (1 + np.max(np.abs(x))):
                break
        assert np.max(np.abs(np.array(function(x, 0.0)[0]))) < 1e-7 * (1 + np.max(np.abs(x)))
        pick = ca.Function("pick", [every], [self.rates[n] for n in wanted])
        found = pick(x) if len(wanted) > 1 else [pick(x)]
        return {n: np.array(v).ravel() for n, v in zip(wanted, found, strict=True)}


def _part(value: Any, index: ast.expr) -> Any:
    """Modelica counts from one, and ends are part of a range."""

    def place(one: ast.expr) -> Any:
        if isinstance(one, ast.Slice):
            assert isinstance(one.lower, ast.Constant) and isinstance(one.upper, ast.Constant)
            return slice(int(str(one.lower.value)) - 1, int(str(one.upper.value)))
        assert isinstance(one, ast.Constant)
        return int(str(one.value)) - 1

    return value[tuple(place(one) for one in index.elts)] if isinstance(index, ast.Tuple) else value[place(index)]
