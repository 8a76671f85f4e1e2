"""docs/computation.md names files and members of classes that exist."""

import ast
import re
from collections import defaultdict
from pathlib import Path

from sources import PACKAGE, trees

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "computation.md").read_text(encoding="utf-8")


def members() -> dict[str, set[str]]:
    """Fields, methods and attributes of every class by its name, with those of its bases."""
    own: dict[str, set[str]] = defaultdict(set)
    bases: dict[str, set[str]] = defaultdict(set)
    for tree in trees().values():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                bases[node.name] |= {base.id for base in node.bases if isinstance(base, ast.Name)}
                for part in ast.walk(node):
                    if isinstance(part, ast.FunctionDef):
                        own[node.name].add(part.name)
                    elif isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name):
                        own[node.name].add(part.target.id)
                    elif isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Store):
                        own[node.name].add(part.attr)

    def of(name: str) -> set[str]:
        return own[name].union(*(of(base) for base in bases[name]))

    return {name: of(name) for name in list(own)}


def test_files_exist() -> None:
    named = set(re.findall(r"`([\w/]+\.py)`", PAGE))
    assert len(named) > 20
    assert sorted(name for name in named if not (PACKAGE / name).exists() and not (ROOT / name).exists()) == []


def test_names_in_the_symbol_tables_exist() -> None:
    """The last column: `Equations.mass`, and `.bias` of the same class behind it."""
    known, rows = members(), [line for line in PAGE.splitlines() if line.startswith("| ")]
    checked, lost = 0, []
    for row in rows:
        owner = ""
        for first, member in re.findall(r"`(?:([A-Z]\w+))?(?:\.(\w+))?[^`]*`", row.split(" | ")[-1]):
            owner = first or owner
            if owner and (first or member):
                checked += 1
                lost += [f"{owner}.{member}"] * (owner not in known or (bool(member) and member not in known[owner]))
    assert checked > 20 and lost == []
