"""Progress bars of runs, in a terminal or in the cell of a notebook."""

import importlib
import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import Final

from trundle.messages.preparing import in_notebook

EVERY: Final = 0.2  # s between two updates in a notebook
BAR: Final = '<progress value="{done:.4f}" max="1" style="width:40%"></progress> '


def progress_bar(stack: ExitStack, t0: float, t1: float) -> Callable[..., None]:
    """A bar that disappears when the stack closes; it is called with the time reached (s) and an optional text."""
    return (_in_notebook if in_notebook() else _in_terminal)(stack, t0, t1)


def _in_terminal(stack: ExitStack, t0: float, t1: float) -> Callable[..., None]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    bar = stack.enter_context(Progress(*columns, console=console, transient=True, disable=not console.is_terminal))
    task = bar.add_task("", total=t1 - t0)

    def update(t: float, text: str = "") -> None:
        bar.update(
            task, completed=t - t0, description=", ".join([f"t = {t:.4g} s", text]) if text else f"t = {t:.4g} s"
        )

    return update


def _in_notebook(stack: ExitStack, t0: float, t1: float) -> Callable[..., None]:
    bar = notebook_bar(stack, f"t = {t0:.4g} of {t1:.4g} s")
    return lambda t, text="": bar((t - t0) / (t1 - t0), f"t = {t:.4g} of {t1:.4g} s{text}")


def notebook_bar(stack: ExitStack, first: str) -> Callable[[float, str], None]:
    """A bar in the cell of a notebook that disappears when the stack closes; it is called with the fraction done and a
    text, which is `first` initially. It works in every notebook (rich would need widgets).
    """
    show = importlib.import_module("IPython.display")
    cell = show.display(show.HTML(BAR.format(done=0.0) + first), display_id=True)
    stack.callback(lambda: cell.update(show.HTML("")))
    last = -EVERY

    def update(done: float, text: str) -> None:
        nonlocal last
        now = time.perf_counter()
        if now - last >= EVERY:
            last = now
            cell.update(show.HTML(BAR.format(done=done) + text))

    return update
