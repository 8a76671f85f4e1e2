"""A sweep on a real Dask cluster of two processes: the bits of a local one, and no loss when a worker is killed."""

import multiprocessing
import os
import signal
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import xarray as xr

import trundle as tr
from trundle.errors import SolveError
from trundle.sweeps import store
from trundle.system import System

KILL = signal.SIGTERM if os.name == "nt" else signal.SIGKILL  # which ends a process at once on each

distributed = pytest.importorskip("distributed", reason="the extra 'cluster' is not installed")
dask = pytest.importorskip("dask")


def chain() -> System:
    m = tr.Model("chain")
    last: Any = m.ground
    m.parameter("k", 5.0, "N m/rad", "stiffness of the joints")
    for name in ("upper", "lower"):
        link = m.body(name, mass=1.0, inertia=0.1, com=(0, 0, -0.5))
        m.connect(tr.Revolute("y"), last, link, law=tr.Spring(m.parameters["k"].symbol, 0.2))
        last = link.at(0, 0, -1.0)
    return m.build()


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    """Some workers are killed and replaced: where processes can fork, all come from one that has imported Dask."""
    method = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
    with (
        dask.config.set({"distributed.worker.multiprocessing-method": method}),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, host="127.0.0.1"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def system() -> System:
    return chain()


def some(count: int) -> tr.Cases:
    return tr.latin_hypercube(count, {"k": (1.0, 20.0), "upper.angle": (-1.0, 1.0)}, seed=1)


def test_the_bits_of_a_local_sweep(client: Any, system: System, tmp_path: Any) -> None:
    options: dict[str, Any] = {"keep": ["lower.angle", "peak(upper.angle)"], "samples": 11, "part": 16}
    there = tr.sweep(system, some(100), 1.0, client=client, out=tmp_path / "s.zarr", progress=False, **options)
    here = tr.sweep(system, some(100), 1.0, progress=False, **options)
    xr.testing.assert_identical(there.drop_attrs().load(), here.drop_attrs())


def test_workers_that_are_killed_lose_nothing(client: Any, system: System, tmp_path: Any) -> None:
    """First one of them, then all that there are."""
    killed: list[list[int]] = []
    stored: list[int] = []
    usual = store.SweepStore.put

    def put(self: Any, i: int, *rest: Any) -> None:
        usual(self, i, *rest)
        stored.append(i)
        if len(stored) in (1, 10):
            alive = list(client.run(os.getpid, on_error="ignore").values())
            killed.append(alive if killed else alive[:1])
            for pid in killed[-1]:
                os.kill(pid, KILL)

    cases = some(400)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store.SweepStore, "put", put)
        there = tr.sweep(
            system, cases, 1.0, keep=["lower.angle"], client=client, out=tmp_path / "s.zarr", part=8, progress=False
        )
    here = tr.sweep(system, cases, 1.0, keep=["lower.angle"], part=8, progress=False)
    assert len(killed) == 2 and all(killed) and sorted(stored) == list(range(50))
    assert np.array_equal(there["lower.angle"], here["lower.angle"])


def test_another_version_on_the_workers_is_refused(
    client: Any, system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trundle.sweeps.cluster.__version__", "0.0.0")
    with pytest.raises(SolveError, match="Install the same"):
        tr.sweep(system, some(2), 0.1, client=client, progress=False)
