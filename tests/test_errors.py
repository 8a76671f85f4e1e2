"""Errors cross processes: an exception of a worker arrives unchanged, and no pool hangs."""

import copy
import multiprocessing
import pickle

import pytest

import trundle as tr
from trundle import errors
from trundle.study.off_surface import OffSurface

EXAMPLES = [
    errors.ModelError(["first fault.", "second fault."]),
    errors.ModelError("one fault."),
    errors.TruthValueError("what, where, why."),
    errors.UnknownNameError("bob.angel", ["bob.angle", "t"]),
    errors.UnknownNameError("x", [], "body"),
    *(kind("what, where, why.") for kind in (errors.AssemblyError, errors.KernelError, errors.StoreError)),
    OffSurface("what, where, why."),
    *(kind("what, where, why.") for kind in (errors.FileError, errors.SolveError, errors.TrundleError)),
]


@pytest.mark.parametrize("error", EXAMPLES, ids=lambda e: type(e).__name__)
@pytest.mark.parametrize("way", ["pickle", "deepcopy", "copy"])
def test_every_error_comes_back_whole(error: errors.TrundleError, way: str) -> None:
    error.add_note("in a worker")
    ways = {"pickle": lambda e: pickle.loads(pickle.dumps(e)), "deepcopy": copy.deepcopy, "copy": copy.copy}
    back = ways[way](error)
    assert type(back) is type(error) and str(back) == str(error) and back.args == error.args
    assert back.__dict__ == error.__dict__


def test_all_kinds_are_among_the_examples() -> None:
    def kinds(kind: type[BaseException]) -> set[type[BaseException]]:
        return {kind}.union(*(kinds(below) for below in kind.__subclasses__()))

    ours = {kind for kind in kinds(errors.TrundleError) if kind.__module__.startswith("trundle.")}
    assert ours == {type(error) for error in EXAMPLES}


def misspelt(height: float) -> float:
    m = tr.Model("drop")
    bob = m.body("bob", mass=1.0)
    m.connect(tr.Prismatic("z"), m.ground, bob)
    run = m.build().simulate(0.1, {"bob.displacement": height})
    return float(run["bob.displacment"][-1])


def test_a_misspelt_name_in_a_worker_does_not_hang_the_pool() -> None:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        answer = pool.map_async(misspelt, [1.0, 2.0])
        with pytest.raises(errors.UnknownNameError, match=r"Did you mean 'bob\.displacement'"):
            answer.get(timeout=600)
