"""Programs as expressions of Modelica."""

from collections import Counter
from collections.abc import Callable

from trundle.bond_graph.program import Program
from trundle.errors import StoreError

SAME = ("sqrt", "exp", "log", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "floor", "ceil")
WORDS: dict[str, str] = {
    "neg": "(-{0})", "fabs": "abs({0})", "sign": "sign({0})", "not": "(if {0} == 0 then 1 else 0)",
    "asinh": "log({0} + sqrt({0} ^ 2 + 1))", "acosh": "log({0} + sqrt({0} ^ 2 - 1))",
    "atanh": "(log((1 + {0}) / (1 - {0})) / 2)", "log1p": "log(1 + {0})", "expm1": "(exp({0}) - 1)",
    "add": "({0} + {1})", "sub": "({0} - {1})", "mul": "({0} * {1})", "div": "({0} / {1})", "pow": "({0} ^ {1})",
    "lt": "(if {0} < {1} then 1 else 0)", "le": "(if {0} <= {1} then 1 else 0)",
    "eq": "(if {0} == {1} then 1 else 0)", "ne": "(if {0} <> {1} then 1 else 0)",
    "and": "(if {0} <> 0 and {1} <> 0 then 1 else 0)", "or": "(if {0} <> 0 or {1} <> 0 then 1 else 0)",
    "fmin": "min({0}, {1})", "fmax": "max({0}, {1})", "fmod": "rem({0}, {1})",
    "remainder": "({0} - {1} * floor({0} / {1} + 0.5))",
    "copysign": "(if {1} < 0 then -abs({0}) else abs({0}))", "atan2": "atan2({0}, {1})",
    "hypot": "sqrt({0} ^ 2 + {1} ^ 2)", "if_else_zero": "(if {0} <> 0 then {1} else 0)",
}  # fmt: skip


def expressions(program: Program, named: Callable[[str], str], variable: Callable[[str], str]) -> list[str]:
    """Text of each output; `variable` names expressions that are long or used more than once."""
    uses = Counter([*program.outputs, *(k for _, a, b in program.operations for k in (a, b) if k >= 0)])
    texts = [named(name) for name in program.inputs] + [_number(c) for c in program.constants]
    for place, (name, a, b) in enumerate(program.operations, start=len(texts)):
        pattern = f"{name}({{0}})" if name in SAME else WORDS.get(name)
        if pattern is None:
            raise StoreError(f"the operation {name!r} does not exist in Modelica.")
        text = pattern.format(texts[a], texts[b] if b >= 0 else "")
        texts.append(variable(text) if uses[place] > 1 or len(text) > 200 else text)
    return [texts[k] for k in program.outputs]


def _number(value: float) -> str:
    text = repr(float(value))
    return f"({text})" if value < 0 else text
