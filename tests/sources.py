"""The code of the package as trees, which several tests look through: parsing all of it takes a second."""

import ast
from functools import cache
from pathlib import Path

import trundle

PACKAGE = Path(trundle.__path__[0])


@cache
def trees() -> dict[Path, ast.Module]:
    """By file; they are not to be changed."""
    return {file: ast.parse(file.read_text(encoding="utf-8")) for file in PACKAGE.rglob("*.py")}
