"""What readers see: docs that wrap, a README that names every folder, and agreed spellings."""

import ast
import re
from collections import Counter
from pathlib import Path

import pytest

from sources import PACKAGE, trees

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


def too_long(text: str, width: int = 100) -> list[str]:
    """Lines of prose wider than `width`. Code, tables, pictures and single pieces of code cannot be wrapped."""
    found, fenced = [], False
    for line in text.splitlines():
        if line.lstrip().startswith("```"):
            fenced = not fenced
        code = fenced or line.startswith("    ") or line.lstrip().startswith(("|", "![", "<"))
        whole = re.sub(r"`[^`]+`|\[[^\]]+\]\([^)]+\)", lambda m: m[0].replace(" ", "_"), line)
        if len(line) > width and not code and len(whole.split()) > 1:
            found.append(line)
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_docs_wrap_at_100_columns(page):
    assert too_long(page.read_text(encoding="utf-8")) == []


def test_what_is_too_long_is_found():
    words = "word " * 25
    assert too_long(words) == [words]
    assert too_long(f"| {words}|\n    {words}\n```\n{words}\n```\n`{words}`") == []


def test_the_readme_names_every_folder_of_the_package():
    section = (ROOT / "README.md").read_text(encoding="utf-8").partition("## Where things are")[2].partition("\n## ")[0]
    named = re.findall(r"^      ([a-z_]+(?:/|\.py))", section, re.MULTILINE)
    package = ROOT / "src" / "trundle"
    folders = [f"{p.parent.name}/" for p in package.glob("*/__init__.py")]
    modules = [p.name for p in package.glob("*.py") if p.name != "__init__.py"]
    assert sorted(named) == sorted(folders + modules)


def test_files_of_tests_have_names_of_their_own():
    """Pytest takes them as modules without a folder: one of two with the same name would not be run."""
    names = [path.name for path in (ROOT / "tests").rglob("test_*.py")]
    assert sorted({name for name in names if names.count(name) > 1}) == []


def test_tests_stand_in_folders_of_the_package():
    """What belongs to no single folder: hunts for wrong answers, mistakes of beginners, code of the pages."""
    package, tests = ROOT / "src" / "trundle", ROOT / "tests"
    across = {"adversary", "first_hour", "pages"}
    folders = {path.parent.relative_to(tests).as_posix() for path in tests.rglob("test_*.py")} - {"."}
    assert across <= folders
    assert sorted(name for name in folders - across if not (package / name / "__init__.py").exists()) == []


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_pages_name_tests_that_exist(page):
    named = re.findall(r"`(tests/[\w/.]+)`", page.read_text(encoding="utf-8"))
    assert [name for name in named if not (ROOT / name).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_pages_name_modules_that_exist(page):
    """By their path in the package, with or without `trundle/`, or from the root. A changelog tells of former ones."""
    named = re.findall(r"`([a-z_]+/[\w/]+\.py)`", page.read_text(encoding="utf-8"))
    places = (ROOT, ROOT / "src", ROOT / "src" / "trundle")
    lost = [name for name in named if not any((place / name).exists() for place in places)]
    assert page.name == "CHANGELOG.md" or lost == []


def test_the_glossary_names_places_that_exist():
    text, package = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8"), ROOT / "src" / "trundle"
    named = re.findall(r"`([a-z_/]+(?:\.py|/))`(?: `(\w+)`)?", text)
    assert len(named) > 20
    assert [place for place, _ in named if not (package / place).exists()] == []
    lost = [word for place, word in named if word and word not in (package / place).read_text(encoding="utf-8")]
    assert lost == []


def test_the_face_of_a_system_stays_thin():
    """Questions are functions of `study`; `System` only documents them and passes them on."""
    assert len((ROOT / "src" / "trundle" / "system.py").read_text(encoding="utf-8").splitlines()) <= 200


def test_no_file_is_longer_than_400_lines():
    """What is longer is more than one thing."""
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in (ROOT / "src").rglob("*.py")}
    assert {path.name: length for path, length in lengths.items() if length > 400} == {}


def test_any_has_a_name():
    """Types that the checker cannot follow have a descriptive name in `trundle.typing`. Bare ones are left where
    modules load names lazily, and in aliases of generic classes.
    """
    found = Counter()
    for path, tree in trees().items():
        if "Any" in path.read_text(encoding="utf-8"):
            bare = {node.lineno for node in ast.walk(tree) if _is_any(node)}
            found[path.relative_to(PACKAGE).parts[0]] += len(bare)
    most = {"typing.py": 13, "study": 4, "fitting": 1}
    most |= dict.fromkeys(("__init__.py", "pairs", "view"), 1)  # names loaded when first asked for
    assert {name: lines for name, lines in found.items() if lines > most.get(name, 0)} == {}


def _is_any(node):
    return isinstance(node, ast.Name) and node.id == "Any"
