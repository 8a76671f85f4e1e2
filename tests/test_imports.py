"""Modules import each other in one direction, also where an import is delayed until it is needed."""

import ast

import networkx as nx

from sources import PACKAGE, trees

# Imports inside functions of what imports them: methods that pass an object on to the functions that work on it.
BACK = {
    ("bond_graph.bonds", "bond_graph.dual"),
    ("bond_graph.bonds", "bond_graph.reload"),
    ("bond_graph.bonds", "view.bond_graph"),
    ("bond_graph.dual", "view.bond_graph"),
    ("examples.every_law", "examples.law_limits"),
    ("examples.every_law", "examples.law_picture"),
    ("lookup.table", "lookup.signal"),
    ("model.model", "model.freeze"),
    ("model.model", "model.pack"),
    ("model.model", "system"),
    ("model.model", "view.notebook"),
    ("study.continuation.branch", "view.branch"),
    ("study.linearise", "study.eigenvalue_change"),
}


def imported(node: ast.AST, modules: set[str]) -> list[str]:
    """Modules of the package that an import statement names, without the name of the package."""
    if not isinstance(node, ast.ImportFrom) or not str(node.module).startswith("trundle"):
        return []
    home = str(node.module).removeprefix("trundle").removeprefix(".")
    names = [f"{home}.{alias.name}".removeprefix(".") for alias in node.names]
    return [name if name in modules else home for name in names]


def graphs() -> tuple[nx.DiGraph, nx.DiGraph]:
    """Imports at the top of modules, and those inside functions; what only type checkers import is left out."""
    files = {}
    for file, tree in trees().items():
        parts = file.relative_to(PACKAGE).with_suffix("").parts
        files[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = tree
    modules, top, delayed = set(files), nx.DiGraph(), nx.DiGraph()
    top.add_nodes_from(files)

    def visit(name: str, node: ast.AST, graph: nx.DiGraph) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                continue
            graph.add_edges_from((name, other) for other in imported(child, modules))
            if isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
                continue
            visit(name, child, delayed if isinstance(child, ast.FunctionDef) else graph)

    for name, tree in files.items():
        visit(name, tree, top)
    return top, delayed


def test_delayed_imports_have_a_reason() -> None:
    """To save time at the start: what is imported already is imported at the top. Few of them lead back."""
    top, delayed = graphs()
    assert nx.is_directed_acyclic_graph(top)
    below = {name: nx.descendants(top, name) for name in set().union(*delayed.edges)}
    back = {(a, b) for a, b in delayed.edges if a in below[b]}
    assert back == BACK
    assert [(a, b) for a, b in delayed.edges if b in below[a]] == []
