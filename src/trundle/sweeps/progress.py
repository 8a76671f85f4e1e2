"""Progress bar of a sweep, in a terminal or in the cell of a notebook."""

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack

from trundle.integrate.progress import notebook_bar
from trundle.messages.preparing import in_notebook, reported_elsewhere
from trundle.sweeps.part import Part
from trundle.sweeps.store import Layout

Show = Callable[[int, str, str], None]  # finished cases, their rate, failed cases


def progress_bar(stack: ExitStack, layout: Layout, wanted: Sequence[int]) -> Callable[[int, Part], None]:
    """A bar with rate and remaining time; the returned function is called with each finished part."""
    stack.enter_context(reported_elsewhere())
    todo = sum(map(layout.size, wanted))
    show = (_in_notebook if in_notebook() else _in_terminal)(stack, layout.cases, layout.cases - todo)
    failed, done, began = 0, 0, time.perf_counter()

    def update(i: int, found: Part) -> None:
        nonlocal failed, done
        failed, done = failed + len(found[1]), done + layout.size(i)
        rate = f"{done / (time.perf_counter() - began):.0f} cases/s"
        show(layout.cases - todo + done, rate, f"{failed} failed" if failed else "")

    return update


def _in_terminal(stack: ExitStack, cases: int, done: int) -> Show:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        MofNCompleteColumn(), BarColumn(), TextColumn("{task.fields[rate]}"), TimeRemainingColumn(),
        TextColumn("{task.fields[failed]}"),
    )  # fmt: skip
    console = Console(stderr=True)
    bar = stack.enter_context(Progress(*columns, console=console, transient=True, disable=not console.is_terminal))
    task = bar.add_task("", total=cases, completed=done, rate="", failed="")
    return lambda done, rate, failed: bar.update(task, completed=done, rate=rate, failed=failed)


def _in_notebook(stack: ExitStack, cases: int, done: int) -> Show:
    bar, began, first = notebook_bar(stack, f"{done} of {cases} cases"), time.perf_counter(), done

    def show(done: int, rate: str, failed: str) -> None:
        left = (time.perf_counter() - began) * (cases - done) / max(done - first, 1)
        words = [f"{done} of {cases} cases", rate, f"{left:.0f} s left", *([failed] if failed else [])]
        bar(done / cases, ", ".join(words))

    return show
