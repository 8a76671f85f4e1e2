"""`trundle view` and `trundle run --view`."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import typer

from trundle.run.store import load

if TYPE_CHECKING:
    from trundle.run.run import Run

LARGEST: Final = 1.0e9  # bytes of a result that are read; a longer one is thinned out


def view_result(
    result: Path, compare: Path | None, plots: Sequence[str] | None, html: Path | None, port: int, browser: bool
) -> None:
    """Serve the page of a result, or write it."""
    run = load(result, LARGEST, lazy=True)
    other = None if compare is None else load(compare, LARGEST, lazy=True)
    if html is not None:
        typer.echo(f"written: {run.save_html(html, plots=plots, compare=other)}")
        return
    serve(run, plots, other, port, browser)


def serve(
    run: "Run",
    plots: Sequence[str] | None = None,
    compare: "Run | None" = None,
    port: int = 8321,
    browser: bool = True,
) -> None:
    """Show a run until the user interrupts."""
    viewer = run.show(plots=plots, compare=compare, port=port, open_browser=browser)
    if viewer.note:
        typer.echo(viewer.note)
    typer.echo(f"the page is at {viewer.url} (for this machine only; Ctrl-C ends it)")
    viewer.wait()
