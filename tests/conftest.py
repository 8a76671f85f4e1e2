"""All tests share one kernel cache of their own, so that they neither read nor fill the user's; OpenBLAS takes one
thread, for the workers fill all cores already.
"""

import gc
import getpass
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("TRUNDLE_CACHE_DIR", str(Path(tempfile.gettempdir()) / f"trundle-tests-{getpass.getuser()}"))

MAKE = "import sys; from trundle.kernel import compiled; [compiled.address(*a.split(':')) for a in sys.argv[1:]]"


def pytest_sessionstart(session: pytest.Session) -> None:
    """Before all tests are run by several workers, the time loops are made: each worker would make them for itself."""
    config = session.config
    ahead = config.getoption("numprocesses", None) and not hasattr(config, "workerinput")
    if ahead and config.args_source is pytest.Config.ArgsSource.TESTPATHS:
        makers = [subprocess.Popen([sys.executable, "-c", MAKE, *parts]) for parts in halves_of_the_loops()]
        for maker in makers:
            maker.wait()


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
