"""Parts of a sweep on the workers of a Dask cluster.

The frozen model is sent to each worker once; a worker compiles it once for its kind of processor, by its own kernel
cache, and runs each part in lanes on one thread of its own.
"""

import pickle
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from trundle.errors import SolveError
from trundle.sweeps.cases import Cases
from trundle.sweeps.part import Part, run_part
from trundle.sweeps.question import Question
from trundle.version import __version__

if TYPE_CHECKING:
    from trundle.system import System

WAITING = 3  # parts that wait for each thread of the cluster, so that no worker is idle


@lru_cache(maxsize=4)
def _system(packed: bytes) -> "System":
    system: System = pickle.loads(packed)
    return system


def _run(packed: bytes, cases: Cases, question: Question) -> Part:
    return run_part(_system(packed), cases, question, threads=1)


def _version() -> str:
    return __version__


def run_on_cluster(
    client: Any, system: "System", wanted: Sequence[int], cases: Callable[[int], Cases], question: Question
) -> Iterator[tuple[int, Part]]:
    """Parts as they end, in any order; a part whose worker dies is run by another one."""
    versions = client.run(_version)
    others = {worker: v for worker, v in versions.items() if v != __version__}
    if not versions:
        raise SolveError("the cluster has no workers; start some, or run the sweep without a cluster.")
    if others:
        worker, version = next(iter(others.items()))
        raise SolveError(
            f"worker {worker} has Trundle {version}, here is {__version__}: results could differ. Install the same "
            "version everywhere."
        )
    from distributed import as_completed

    threads = sum(client.nthreads().values())
    packed = client.scatter(pickle.dumps(system), broadcast=True)
    waiting = iter(wanted)

    def submit(i: int) -> Any:
        return client.submit(_run, packed, cases(i), question, key=f"trundle-part-{i}-{id(packed)}", pure=False)

    places = {}
    first = [i for _, i in zip(range(WAITING * threads), waiting, strict=False)]
    futures: Any = as_completed()  # type: ignore[no-untyped-call]
    for i in first:
        future = submit(i)
        places[future.key] = i
        futures.add(future)
    try:
        for future in futures:
            i = places.pop(future.key)
            yield i, future.result()
            following = next(waiting, None)
            if following is not None:
                future = submit(following)
                places[future.key] = following
                futures.add(future)
    finally:
        client.cancel([*futures.futures])
