"""Notebooks of the tutorials, made from their pages: `python -m tools.notebooks` writes docs/notebooks.

A page is written once, as Markdown. Its prose becomes the text of the notebook, its blocks of Python the cells;
pictures are those that the cells make. Notebooks are kept without output; a test runs them.
"""

import re
from pathlib import Path
from typing import Any

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

DOCS = Path(__file__).resolve().parents[1] / "docs"
FOLDER = DOCS / "notebooks"
PAGES = (*sorted((DOCS / "tutorials").glob("*.md")), DOCS / "sweeps.md")
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}
_BLOCK = re.compile(r"^```python\n(.*?)^```\n", re.DOTALL | re.MULTILINE)
_PICTURE = re.compile(r"^!\[([^\]]*)\]\(pictures/([^)]+)\)\n", re.MULTILINE)
_LINK = re.compile(r"\]\((?!https?:|#)([^)#]*)((?:#[^)]*)?)\)")


def notebook(page: Path) -> Any:
    """The notebook of a page."""
    cells: list[Any] = []
    pieces = _BLOCK.split(page.read_text(encoding="utf-8"))  # prose and code in turns
    for k, piece in enumerate(pieces):
        if k % 2:
            cells.append(new_code_cell(piece.strip()))
            continue
        for words in _PICTURE.split(piece)[::3]:  # the first is before any picture, the others behind one
            if words.strip():
                cells.append(new_markdown_cell(_LINK.sub(lambda link: _from_notebooks(link, page), words).strip()))
        shown = [name for _, name in _PICTURE.findall(piece)]
        before = pieces[k - 1].strip().splitlines()[-1] if k else ""
        for name in shown:  # the cell that ends with drawing it shows it already
            if name not in before:
                at = next(i for i in reversed(range(len(cells))) if cells[i].cell_type == "code") + 1
                cells.insert(at, new_code_cell(f'from IPython.display import Image\n\nImage("{name}")'))
    for i, cell in enumerate(cells):
        cell.id = f"cell-{i}"
    return new_notebook(cells=cells, metadata={"kernelspec": KERNEL, "language_info": {"name": "python"}})


def _from_notebooks(link: re.Match[str], page: Path) -> str:
    """A link of a page, relative to the folder of the notebooks."""
    target = (page.parent / link[1]).resolve() if link[1] else page
    if target.with_suffix(".md") in PAGES and target != page:
        return f"]({target.stem}.ipynb)"
    return f"](../{target.relative_to(DOCS).as_posix()}{link[2]})"


def text(page: Path) -> str:
    """The notebook of a page as stored text."""
    return str(nbformat.writes(notebook(page))) + "\n"


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for one in PAGES:
        (FOLDER / f"{one.stem}.ipynb").write_text(text(one), encoding="utf-8")
