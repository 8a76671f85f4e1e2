"""Parts of a sweep on the workers of a Dask cluster.

The frozen model is sent with each part, so that workers are independent; a worker compiles it once for its kind of
processor, with its own kernel cache, and runs each part in lanes on one thread.
"""

import pickle
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING
from uuid import uuid4

from trundle.errors import SolveError
from trundle.sweeps.cases import Cases
from trundle.sweeps.part import Part, run_part
from trundle.sweeps.question import Question
from trundle.typing import Untyped
from trundle.version import __version__

if TYPE_CHECKING:
    from trundle.system import System

PATIENCE = 60  # s to wait for workers of a cluster
WAITING = 3  # queued parts per thread of the cluster, so that no worker is idle


@lru_cache(maxsize=4)
def _system(packed: bytes) -> "System":
    system: System = pickle.loads(packed)
    return system


def _run(packed: bytes, cases: Cases, question: Question, version: str) -> Part:
    """Run one part on a worker, which may have joined after the sweep began."""
    if version != __version__:
        raise SolveError(_differs(__version__, version))
    return run_part(_system(packed), cases, question, threads=1)


def _version() -> str:
    return __version__


def _differs(there: str, here: str, worker: str = "a worker") -> str:
    return f"{worker} has Trundle {there}, here is {here}: results could differ. Install the same version everywhere."


def run_on_cluster(
    client: Untyped, system: "System", wanted: Sequence[int], cases: Callable[[int], Cases], question: Question
) -> Iterator[tuple[int, Part]]:
    """Parts as they finish, in any order; a part whose worker dies is run by another one."""
    from distributed import as_completed

    try:
        client.wait_for_workers(1, timeout=PATIENCE)
    except TimeoutError:
        raise SolveError("the cluster has no workers; start some, or run the sweep without a cluster.") from None
    versions = client.run(_version, on_error="ignore")  # a worker that dies now does not matter
    others = {worker: v for worker, v in versions.items() if v != __version__}
    if others:
        worker, version = next(iter(others.items()))
        raise SolveError(_differs(version, __version__, f"worker {worker}"))

    threads = max(1, sum(client.nthreads().values()))
    packed, sweep = pickle.dumps(system), uuid4().hex
    waiting = iter(wanted)

    def submit(i: int) -> Untyped:
        key = f"trundle-part-{i}-{sweep}"
        return client.submit(_run, packed, cases(i), question, __version__, key=key, pure=False)

    places = {}
    first = [i for _, i in zip(range(WAITING * threads), waiting, strict=False)]
    futures: Untyped = as_completed()  # type: ignore[no-untyped-call]
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
