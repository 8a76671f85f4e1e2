"""Translation of simple numeric functions to JavaScript, so that a page uses the same formulas as the package."""

import ast
import inspect
import textwrap
from collections.abc import Mapping

from trundle.errors import KernelError
from trundle.typing import Maker

_MATH = {
    name: f"Math.{name}" for name in ("abs", "atan", "atan2", "atanh", "cosh", "max", "min", "sin", "sinh", "sqrt")
}
_SIGNS: dict[type[ast.AST], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.BitOr: "|", ast.BitAnd: "&",
    ast.And: "&&", ast.Or: "||", ast.USub: "-", ast.Not: "!",
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "===", ast.NotEq: "!==",
}  # fmt: skip


def javascript(functions: tuple[Maker, ...], constants: Mapping[str, float]) -> str:
    """Functions that use assignments, conditions, arithmetic, each other, and these constants; tuples become arrays."""
    lines = [f"const {name} = {'NaN' if value != value else repr(value)};" for name, value in constants.items()]
    for function in functions:
        (tree,) = ast.parse(textwrap.dedent(inspect.getsource(function))).body
        assert isinstance(tree, ast.FunctionDef)
        arguments = [argument.arg for argument in tree.args.args]
        own = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        lines.append(f"function {tree.name}({', '.join(arguments)}) {{")
        if own - set(arguments):
            lines.append(f"  let {', '.join(sorted(own - set(arguments)))};")
        for statement in tree.body:
            if not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)):  # docstring
                lines += _statement(statement, "  ")
        lines.append("}")
    return "\n".join(lines)


def _statement(node: ast.stmt, indent: str) -> list[str]:
    match node:
        case ast.Assign(targets=[target], value=value):
            return [f"{indent}{_expression(target)} = {_expression(value)};"]
        case ast.AugAssign(target=target, op=op, value=value):
            return [f"{indent}{_expression(target)} {_SIGNS[type(op)]}= {_expression(value)};"]
        case ast.Return(value=value) if value is not None:
            return [f"{indent}return {_expression(value)};"]
        case ast.If(test=test, body=body, orelse=orelse):
            lines = [f"{indent}if ({_expression(test)}) {{"]
            for inner in body:
                lines += _statement(inner, indent + "  ")
            if orelse:
                lines.append(f"{indent}}} else {{")
                for inner in orelse:
                    lines += _statement(inner, indent + "  ")
            return [*lines, f"{indent}}}"]
    raise KernelError(f"this statement cannot be written in JavaScript: {ast.unparse(node)}")


def _expression(node: ast.expr) -> str:
    match node:
        case ast.Name(id=name):
            return _MATH.get(name, "Math.PI" if name == "pi" else name)
        case ast.Constant(value=bool(value)):
            return "true" if value else "false"
        case ast.Constant(value=int(value) | float(value)):
            return repr(value)
        case ast.Tuple(elts=items):
            return f"[{', '.join(map(_expression, items))}]"
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _SIGNS:
            return f"({_expression(left)} {_SIGNS[type(op)]} {_expression(right)})"
        case ast.BoolOp(op=op, values=values):
            return "(" + f" {_SIGNS[type(op)]} ".join(map(_expression, values)) + ")"
        case ast.UnaryOp(op=op, operand=operand) if type(op) in _SIGNS:
            return f"({_SIGNS[type(op)]}{_expression(operand)})"
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _SIGNS:
            return f"({_expression(left)} {_SIGNS[type(op)]} {_expression(right)})"
        case ast.IfExp(test=test, body=body, orelse=orelse):
            return f"({_expression(test)} ? {_expression(body)} : {_expression(orelse)})"
        case ast.Subscript(value=value, slice=index):
            return f"{_expression(value)}[{_expression(index)}]"
        case ast.Call(func=ast.Name() as function, args=arguments, keywords=[]):
            return f"{_expression(function)}({', '.join(map(_expression, arguments))})"
    raise KernelError(f"this expression cannot be written in JavaScript: {ast.unparse(node)}")
