"""numba compiles the loops when the package is built; all that users run must work without it."""

import ast

from sources import PACKAGE, trees

COMPILED = ("part", "part_of", "inner", "strict", "njit", "intrinsic", "register_jitable")  # decorators

MAKER = "trundle.kernel.link_once"  # works with numba where loops are made; imported there alone, when one is asked for


def imported(tree: ast.Module) -> set[str]:
    """Modules that are imported as soon as this one is, and the names taken from them."""
    found: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def is_compiled(tree: ast.Module) -> bool:
    """Whether functions of this module are compiled code."""
    marks = [d for node in tree.body if isinstance(node, ast.FunctionDef) for d in node.decorator_list]
    names = [getattr(d.func if isinstance(d, ast.Call) else d, "id", "") for d in marks]
    return any(name in COMPILED for name in names)


def test_only_compiled_code_imports_numba() -> None:
    """Movies could not be made from an installed package: their painter took three numbers from a compiled module."""
    names = {file: ".".join(("trundle", *file.relative_to(PACKAGE).with_suffix("").parts)) for file in trees()}
    modules = {names[file].removesuffix(".__init__"): tree for file, tree in trees().items()}
    imports = {name: imported(tree) for name, tree in modules.items()}
    tied = {name for name, found in imports.items() if any(one.partition(".")[0] == "numba" for one in found)}
    assert "trundle.kernel.pointers" in tied
    while more := {name for name, found in imports.items() if name not in tied and found & tied}:
        tied |= more
    assert [name for name in sorted(tied) if not is_compiled(modules[name])] == [MAKER]
