"""Notebooks: they are those of their pages, and run in a kernel without an error."""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook
from tools.notebooks import FOLDER, KERNEL, PAGES, text

LATE = (
    "bicycle",
    "impact",
    "own-joint-and-law",
    "sweep-to-design",
    "sweeps",
    "wagon-on-a-curve",
)  # in the slow tests; other tests run the code of their pages anyhow


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_notebook_is_that_of_its_page(page: Path) -> None:
    kept = (FOLDER / f"{page.stem}.ipynb").read_text(encoding="utf-8")
    assert kept == text(page), "make the notebooks again: python -m tools.notebooks"
    nbformat.validate(nbformat.reads(kept, as_version=4))


@pytest.mark.parametrize("late", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_the_notebooks_run(late: bool, tmp_path: Path) -> None:
    """One after the other in one kernel, which forgets all names and gets an empty folder before each."""
    chosen = [page for page in PAGES if (page.stem in LATE) == late]
    books = {page: nbformat.read(FOLDER / f"{page.stem}.ipynb", as_version=4) for page in chosen}
    cells = []
    for page, book in books.items():
        (tmp_path / page.stem).mkdir()
        cells += [new_code_cell(f"%reset -f\n%cd -q {tmp_path / page.stem}"), *book.cells]
    for i, cell in enumerate(cells):
        cell.id = f"cell-{i}"
    whole = new_notebook(cells=cells, metadata={"kernelspec": KERNEL})
    NotebookClient(whole, timeout=300).execute()
    for page, book in books.items():
        outputs = [output for cell in book.cells if cell.cell_type == "code" for output in cell.outputs]
        pictures = [output for output in outputs if "image/png" in output.get("data", {})]
        assert len(pictures) >= page.read_text(encoding="utf-8").count("](pictures/"), page.name
        words = "".join(output.text for output in outputs if output.output_type == "stream" and output.name == "stderr")
        words += "".join(str(output.get("data", {}).get("text/plain", "")) for output in outputs)  # and what rich shows
        assert "Warning" not in words, words
