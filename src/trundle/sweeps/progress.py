"""The progress of a sweep on the screen."""

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack

from trundle.sweeps.part import Part
from trundle.sweeps.store import Layout


def progress_bar(stack: ExitStack, layout: Layout, wanted: Sequence[int]) -> Callable[[int, Part], None]:
    """A bar with rate and time left; the function that it gives is told each part that is done."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        MofNCompleteColumn(), BarColumn(), TextColumn("{task.fields[rate]}"), TimeRemainingColumn(),
        TextColumn("{task.fields[failed]}"),
    )  # fmt: skip
    bar = stack.enter_context(Progress(*columns, console=Console(stderr=True), transient=True))
    todo = sum(layout.span(i).stop - layout.span(i).start for i in wanted)
    task = bar.add_task("", total=layout.cases, completed=layout.cases - todo, rate="", failed="")
    failed, done, began = 0, 0, time.perf_counter()

    def told(i: int, found: Part) -> None:
        nonlocal failed, done
        span = layout.span(i)
        failed, done = failed + len(found[1]), done + span.stop - span.start
        rate = f"{done / (time.perf_counter() - began):.0f} cases/s"
        bar.update(task, advance=span.stop - span.start, rate=rate, failed=f"{failed} failed" if failed else "")

    return told
