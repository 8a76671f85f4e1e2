"""`import trundle` loads no libraries: each public name is imported when it is first used."""

import ast
import json
import pkgutil
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import trundle as tr
import trundle.contact
import trundle.model
import trundle.view

HEAVY = ("numpy", "casadi", "scipy", "pandas", "xarray", "matplotlib", "networkx", "llvmlite", "numba", "yaml")
MODEL = "m = tr.Model('p'); m.connect(tr.Revolute('y'), m.ground, m.body('bob', mass=1.0, com=(0, 0, -1)))"


def loaded(code: str) -> set[str]:
    """Modules that a new process has after these lines."""
    text = f"import sys, json, trundle as tr\n{code}\nprint(json.dumps(sorted(sys.modules)))"
    told = subprocess.run([sys.executable, "-c", text], capture_output=True, check=True).stdout
    return set(json.loads(told))


def test_import_of_trundle_loads_no_library() -> None:
    modules = loaded("")
    assert not modules & set(HEAVY)
    assert {m for m in modules if m.startswith("trundle.")} == {"trundle.errors", "trundle.version"}


def test_a_model_loads_numpy_and_casadi_alone() -> None:
    assert loaded(MODEL) & set(HEAVY) == {"numpy", "casadi"}


def test_a_model_file_loads_neither_rail_nor_a_library_for_pictures() -> None:
    modules = loaded("tr.examples.model('four-bar')")
    assert modules & set(HEAVY) <= {"numpy", "casadi", "yaml", "llvmlite"}
    assert not {m for m in modules if m.startswith(("trundle.rail", "trundle.view"))}


def test_numbers_and_energy_of_a_run_need_no_xarray() -> None:
    modules = loaded(f"{MODEL}; run = m.build().simulate(0.1); assert run.energy.drift < 1e-8; run.values('bob.angle')")
    assert modules & set(HEAVY) <= {"numpy", "casadi", "llvmlite"}


def test_vehicles_on_four_wheels_need_no_scipy() -> None:
    """Its import would be a fifth of a first run: rows are redundant."""
    modules = loaded("tr.examples.model('four-wheel-vehicle').build().simulate(0.1)")
    assert modules & set(HEAVY) <= {"numpy", "casadi", "yaml", "llvmlite"}


def test_what_vehicles_on_rails_do_not_need() -> None:
    """SciPy would be a fifth of a first run: wheels have tables, stops are monotone cubics."""
    line = "tr.rail.Alignment([tr.rail.Straight(50)])"
    modules = loaded(f"tr.rail.Trip(tr.rail.manchester_vehicle(), {line}, 20.0).simulate(0.01)")
    assert modules & set(HEAVY) <= {"numpy", "casadi", "llvmlite"}
    assert not modules & {"numpy.random", "fractions", "uuid", "trundle.run.batch", "trundle.study.linearise"}


def test_lists_of_public_names_agree() -> None:
    """The imports for type checkers, the table of homes and `__all__` have the same names."""
    tree = ast.parse(Path(tr.__file__).read_text(encoding="utf-8"))
    imported = {
        alias.name: node.module or ""
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("trundle")
        for alias in node.names
    }
    homes = {
        name: home.rpartition(".")[0] if name == home.rpartition(".")[2] else home for name, home in tr._HOME.items()
    }
    here = {"errors": "trundle", "TrundleError": "trundle.errors", "__version__": "trundle.version"}
    assert imported == homes | here
    assert set(imported) == set(tr.__all__)


@pytest.mark.parametrize(
    "package", [tr.contact, tr.model, tr.pairs, tr.rail, tr.view], ids=lambda package: package.__name__
)
def test_lists_of_names_of_a_package_agree(package: ModuleType) -> None:
    """Each name comes from the module that the imports for type checkers name."""
    tree = ast.parse(Path(str(package.__file__)).read_text(encoding="utf-8"))
    late = next(node for node in tree.body if isinstance(node, ast.If))
    typed = {a.name: node.module for node in late.body if isinstance(node, ast.ImportFrom) for a in node.names}
    assert typed == {name: module for module, names in package._NAMES.items() for name in names.split()}
    imported = {a.name for node in tree.body if isinstance(node, ast.ImportFrom) for a in node.names}
    assert set(package.__all__) == set(typed) | (imported - {"TYPE_CHECKING", "import_when_used"})
    assert [name for name in package.__all__ if getattr(package, name) is not getattr(package, name)] == []
    modules = {one.name for one in pkgutil.iter_modules(package.__path__)}
    assert not modules & set(typed), "names of modules of the package must be imported by the package itself"


def test_a_name_is_listed_and_stays_the_same_object() -> None:
    assert [name for name in tr.__all__ if getattr(tr, name) is not getattr(tr, name) or name not in dir(tr)] == []


def test_for_names_that_tools_ask_for_no_other_is_suggested() -> None:
    with pytest.raises(AttributeError, match=r"no attribute '__bases__'\.$"):
        tr.__bases__  # noqa: B018


def test_pages_name_what_exists() -> None:
    """`tr.Revolute("y")` and the like, in all pages: the first name is public, others are its attributes."""
    root = Path(__file__).parents[1]
    lost = set()
    for page in [root / "README.md", *(root / "docs").rglob("*.md")]:
        for name in re.findall(r"`tr\.([A-Za-z_][\w.]*)", page.read_text(encoding="utf-8")):
            first, *rest = name.strip(".").split(".")
            found = getattr(tr, first, None) if first in tr.__all__ else None
            for part in rest:
                found = getattr(found, part, None)
            lost |= {(page.name, name)} if found is None else set()
    assert lost == set()
