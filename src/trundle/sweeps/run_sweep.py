"""One call for thousands of runs: cases in parts, each stored as soon as it is finished."""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from trundle.errors import SolveError
from trundle.messages.arguments import advised_function
from trundle.messages.warn import warn
from trundle.study.batch import BatchWarning
from trundle.study.large_angles import likely_degrees_of_cases
from trundle.sweeps.cases import Cases
from trundle.sweeps.dataset import dataset_of_parts, dataset_of_store
from trundle.sweeps.part import INTERRUPTED, OTHER, OUTCOMES, Part, is_interrupted, run_part, start_names, undone_part
from trundle.sweeps.progress import progress_bar
from trundle.sweeps.question import Question
from trundle.sweeps.store import Frame, Layout, SweepStore, part_of
from trundle.typing import Array, Json, Values
from trundle.version import __version__

if TYPE_CHECKING:
    import xarray as xr

    from trundle.system import System

PART = 16384  # cases of one part, on this machine
CLUSTER_PART = 2048  # and on a cluster, whose workers share the parts
NUMBERS = 4_000_000  # largest number of stored values of one part: 32 MB


_AMONG = "give it with the cases, as a list if it varies or as one value if not, {'k': [1, 2, 3], 'c': 0.5}"


@advised_function(parameters=_AMONG, start=_AMONG, inputs=_AMONG, tables=_AMONG)
def sweep(
    system: "System",
    cases: "Cases | Values",
    duration: float,
    *,
    keep: Sequence[str] | str | None = None,
    samples: int | Sequence[float] | None = None,
    out: str | Path | None = None,
    client: object = None,
    part: int | None = None,
    rtol: float = 1e-8,
    atol: float | Mapping[str, float] | None = None,
    method: str = "auto",
    threads: int | None = None,
    progress: bool = True,
) -> "xr.Dataset":
    """Run many cases and store selected quantities, with the values of the cases as coordinates.

    Parameters
    ----------
    system : System
    cases : Cases or mapping
        tr.grid({...}), tr.latin_hypercube(...), tr.sobol(...), or lists of values by name: parameters, tables and start
        values. A number in place of a list is the same for all cases.
    duration : float
        Time over which each case runs (s).
    keep : sequence of str, optional
        "disc.roll" at the samples, or at the end without samples; "end(disc.roll)"; "max(...)", "min(...)",
        "mean(...)", "rms(...)", "peak(...)" over the samples; "count(c lands)" and "first(c lands)" of events. All
        coordinates unless given.
    samples : int or sequence of float, optional
        Times that all cases share (s), or their number.
    out : path, optional
        Zarr store, ending in .zarr, to which finished parts are written. The same call continues an unfinished store;
        a store of another sweep is refused. Without it, results stay in memory.
    client : distributed.Client, optional
        Run the parts on the workers of a Dask cluster.
    part : int, optional
        Number of cases that are run and written together.
    rtol, atol, method, threads
        As for `System.batch`; a default atol is determined for each part.
    progress : bool
        Show a bar with rate and remaining time.

    Returns
    -------
    xarray.Dataset
        One row for each case along "case", with parameters ("k"), inputs ("input(torque)") and start values
        ("start(bob.angle)") as its coordinates; outcome, t_end and steps in addition to the kept quantities. Values are
        read from the store on access. Its attribute `messages` has the errors of failed cases (as JSON text).

    Raises
    ------
    SolveError, UnknownNameError, StoreError
        For an invalid name, option or store; parts that were written before are kept.
    KeyboardInterrupt
        If it is interrupted and has a store, which keeps all finished parts. Without a store, a warning states how many
        cases are not finished; their values are nan.
    """
    chosen = Cases.of(cases)
    names = system.formulation.usual_names if keep is None else keep
    question = Question.of(duration, names, samples, rtol, atol, method)
    start, _ = chosen.split(system.model.names_given(), start_names(system))
    for hint in likely_degrees_of_cases(system.formulation.register, start):
        warn(hint, BatchWarning)
    times = _times(question)
    path = None if out is None else _path(out)
    wanted_part = part if part is not None or path is None else part_of(path)  # a store is resumed with its own parts
    most = PART if client is None else CLUSTER_PART
    layout = Layout(
        _identity(system, chosen, question), len(chosen), _part_size(wanted_part, most, question, len(chosen))
    )
    flags = {"flag_values": list(range(len(OUTCOMES) + 1)), "flag_meanings": " ".join((*OUTCOMES, OTHER))}
    whole = Frame(chosen.labels(system.model.names_given(), system.model.inputs), times, flags)
    store = None if path is None else SweepStore(path, layout)
    wanted = list(range(layout.parts)) if store is None else store.missing()
    kept: dict[int, Part] = {}
    try:
        with ExitStack() as stack:
            update = progress_bar(stack, layout, wanted) if progress and wanted else None
            writer = stack.enter_context(ThreadPoolExecutor(1))  # a part is written while the next one runs
            writing: Future[None] | None = None
            for i, found in _parts(system, chosen, question, layout, wanted, client, threads):
                if store is None:
                    kept[i] = found
                if is_interrupted(found):  # a store keeps whole parts only
                    raise KeyboardInterrupt
                if store is not None:
                    if writing is not None:
                        writing.result()
                    writing = writer.submit(store.put, i, *found, whole)
                if update is not None:
                    update(i, found)
            if writing is not None:
                writing.result()
    except KeyboardInterrupt:
        _interrupted(layout, store, kept)
    return dataset_of_parts(kept, whole) if store is None else dataset_of_store(store)


def _interrupted(layout: Layout, store: SweepStore | None, kept: dict[int, Part]) -> None:
    """A store reports its contents and how to resume; in memory, cases that were not begun are filled with nan."""
    if store is not None:
        done = sum(layout.size(i) for i in set(range(layout.parts)) - set(store.missing()))
        raise KeyboardInterrupt(
            f"the sweep was interrupted: {done} of {layout.cases} cases are in {store.path}. Run the same sweep again "
            "to continue."
        ) from None
    if not kept:
        raise KeyboardInterrupt("the sweep was interrupted before its first cases were done.") from None
    for i in set(range(layout.parts)) - set(kept):
        kept[i] = undone_part(next(iter(kept.values())), layout.size(i))
    undone = sum(int(np.sum(part[0]["outcome"].values == INTERRUPTED)) for part in kept.values())
    warn(
        f"the sweep was interrupted: {undone} of {layout.cases} cases are not done; their outcome is INTERRUPTED and "
        "their values are nan (counts -1). With out='name.zarr' the same call continues where it was stopped."
    )


def _parts(
    system: "System", cases: Cases, question: Question, layout: Layout, wanted: Sequence[int], client: object,
    threads: int | None,
) -> Iterator[tuple[int, Part]]:  # fmt: skip
    if client is not None:
        from trundle.sweeps.cluster import run_on_cluster

        yield from run_on_cluster(client, system, wanted, lambda i: cases[layout.span(i)], question)
        return
    for i in wanted:
        yield i, run_part(system, cases[layout.span(i)], question, threads)


def _identity(system: "System", cases: Cases, question: Question) -> Json:
    return {
        "version of Trundle": __version__,
        "model": system.spec.key,
        "formalism": system.formulation.formalism,
        "cases": cases.digest,
        "question": question.plain(),
        "names of the outcomes": " ".join(OUTCOMES),  # stored as indices of this list
    }


def _part_size(part: int | None, most: int, question: Question, count: int) -> int:
    if part is not None:
        if not isinstance(part, int | np.integer) or part < 1:
            raise SolveError(f"part={part!r}: give a positive number of cases.")
        return min(int(part), count)
    times = question.samples if isinstance(question.samples, int) else len(question.samples or (0,))
    return max(1, min(most, count, NUMBERS // max(1, times * len(question.keep))))


def _times(question: Question) -> Array | None:
    if question.samples is None or all(kept.how != "samples" for kept in question.keep):
        return None
    if isinstance(question.samples, tuple):
        return np.array(question.samples)
    return np.linspace(0.0, question.duration, question.samples)


def _path(out: str | Path) -> Path:
    path = Path(out)
    if path.suffix != ".zarr":
        raise SolveError(f"out={str(out)!r}: the store of a sweep is a folder whose name ends in .zarr.")
    if not path.parent.exists():
        raise SolveError(f"out={str(out)!r}: there is no directory {path.parent}.")
    return path
