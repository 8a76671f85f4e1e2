"""All tests share one kernel cache of their own, so that they neither read nor fill the user's; OpenBLAS takes one
thread, for the workers fill all cores already.
"""

import gc
import getpass
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("TRUNDLE_CACHE_DIR", str(Path(tempfile.gettempdir()) / f"trundle-tests-{getpass.getuser()}"))

MAKE = "import sys; from trundle.kernel import compiled; [compiled.address(*a.split(':')) for a in sys.argv[1:]]"
PATIENCE = 300.0
"""Seconds for which a worker waits until the first one has collected."""
makers: list[subprocess.Popen[bytes]] = []
fresh: list[str] = []


def pytest_sessionstart(session: pytest.Session) -> None:
    """While the tests are collected for several workers, the time loops are made: each worker would make its own.

    In a fresh clone the first worker collects before the others: each of them would compile all modules.
    """
    config = session.config
    ahead = config.getoption("numprocesses", None) and not hasattr(config, "workerinput")
    if ahead and config.args_source is pytest.Config.ArgsSource.TESTPATHS:
        makers.extend(subprocess.Popen([sys.executable, "-c", MAKE, *parts]) for parts in halves_of_the_loops())
        if not (Path(__file__).parent / "adversary" / "__pycache__").exists():
            fresh.append(tempfile.mkdtemp())


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tell workers where the first one reports that it has collected, if they are to wait for that."""
    node.workerinput["fresh"] = fresh


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Iterator[None]:
    """One worker after the other, in a fresh clone."""
    given = getattr(session.config, "workerinput", {})
    done = [Path(folder) / "collected" for folder in given.get("fresh", ())]
    end = time.monotonic() + (PATIENCE if given.get("workerid") != "gw0" else 0.0)
    while done and not done[0].exists() and time.monotonic() < end:
        time.sleep(0.05)
    try:
        return (yield)
    finally:
        for file in done:
            file.touch()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_node_collection_finished() -> None:
    """No test begins before the time loops are made."""
    for maker in makers:
        maker.wait()


def pytest_unconfigure() -> None:
    """Remove the folder in which workers waited for each other."""
    for folder in fresh:
        shutil.rmtree(folder, ignore_errors=True)


def pytest_collection_finish() -> None:
    """Modules and tests are there to stay: the garbage collector need not look through them again and again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


@pytest.fixture(scope="session", autouse=True)
def reading_is_compiled() -> None:
    """What every new model needs comes from the cache that all tests share: some have an empty one of their own."""
    from trundle.kernel import compiled

    for part in ("number_values", "fuse_products", "plan_steps"):
        compiled.address(part)


def halves_of_the_loops() -> tuple[list[str], list[str]]:
    """Those of contacts and the others: what a process compiles for one loop serves the next that needs it too."""
    from trundle.kernel.loop_sources import imported
    from trundle.kernel.make_loops import all_parts

    of_contacts, others = [], []
    for part, home in all_parts():
        needed = any(name.startswith("trundle.contact.") for name in imported(home))
        (of_contacts if needed else others).append(f"{part}:{home}")
    return of_contacts, others
