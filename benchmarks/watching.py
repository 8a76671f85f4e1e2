"""Cost of monitoring the contacts of a run: guards, second points of contact, and both, in per cent of the run without.
The bar applies to both.

python -m benchmarks.watching [rounds]
python -m benchmarks.watching --operations

The same integration with and without, taking turns in one process; processor seconds, best of the rounds. `long` runs
have thousands of steps; `short` ones a few dozen, so that what a run takes to begin counts.

With `--operations` no clock is asked: every call of a compiled function is counted and multiplied by the operations of
its tape (functions such as a sine count FUNCTION, divisions and roots DIVISION; a kernel of several lanes does LANES of
them at once). What the loop does around the kernels is added for what is watched and left out everywhere else, so that
the numbers are rather too high than too low: of second contacts for every place that is on its way to a common normal,
and more for one that has found it or is to begin elsewhere. The searches at the start and at the end of a run, which
take one to two milliseconds however long it is, are not part of them. Batches in lanes are counted and timed too, their
searches apart.
"""

from __future__ import annotations

import ctypes
import sys
import time
from abc import abstractmethod
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any
from unittest.mock import patch

import numpy as np

import trundle as tr
from benchmarks.interleave import interleave, machine_code_at_once
from trundle.equations.formulation import Formulation
from trundle.equations.kernel_store import base
from trundle.integrate.integrate import integrate
from trundle.integrate.lanes.integrate import LaneProblem, integrate_lanes
from trundle.integrate.options import Sampling
from trundle.integrate.problem import OtherNormals, Problem
from trundle.kernel import Kernel, read_tape
from trundle.kernel.tape import LEAVES
from trundle.study import batch as batch_study
from trundle.study import simulate as study
from trundle.study.guarded_run import GuardedRun, integrate_guarded
from trundle.study.guards import guard_kernel, wide_kernels
from trundle.study.second_contacts import other_normal_kernels

BAR = 5.0  # per cent
LANES = 4  # doubles in a vector register
DIVISION, FUNCTION = 4, 20  # additions that take as long
DIVISIONS = {"div", "sqrt", "inverse"}
PLAIN = {"add", "sub", "mul", "neg", "twice", "square", "assign", "first", "fabs", "fmin", "fmax", "lt", "le", "eq",
         "ne", "not", "and", "or", "if_else_zero", "sign", "copysign", *LEAVES}  # fmt: skip
PARTS = {"sin", "cos"}  # of a "sincos" before them
PER_GUARD, PER_LOOK = 45, 35  # operations of the loop at a look, beside the kernel; in lanes by vectors too
PER_JUDGED = 20  # of the kernel that judges values at the ends of steps in lanes
PER_LANE, PER_COORDINATE = 14, 3  # of the loop that pursues second contacts
PER_ARRIVED, PER_ITS_COORDINATE = 30, 8  # the same for one that has found a common normal or begins anew, in addition
DIFFERENCES = (("guards", "none"), ("all", "guards"), ("all", "none"))


@dataclass(frozen=True)
class Watched:
    """A run that can be integrated with all monitoring, without that for second contacts, and without any."""

    name: str
    whole: Any
    formulation: Formulation
    lanes = 1

    def problems(self) -> dict[str, Any]:
        """Problems with different monitoring, by name."""
        problem = self.whole.problem
        alone = replace(problem, other_normals=None)
        bare = {"guards": None, "n_guards": 0} | ({"guarded": None} if self.lanes > 1 else {})
        return {"all": problem, "guards": alone, "none": replace(alone, **bare)}

    @abstractmethod
    def integrate(self, problem: Any) -> object:
        """Integrate without samples on the way."""

    def kinds(self) -> dict[str, Callable[[], object]]:
        """The three integrations with different monitoring, by name."""
        return {kind: lambda p=p: self.integrate(p) for kind, p in self.problems().items()}


class WatchedRun(Watched):
    """A run alone."""

    whole: GuardedRun

    def integrate(self, problem: Problem) -> object:
        """Integrate without samples on the way."""
        run = self.whole
        samples = Sampling(np.array([run.case.t0, run.case.t1]))
        return integrate(problem, run.method, run.case, replace(run.options, samples=samples))


@dataclass(frozen=True)
class LaneRun:
    """Arguments of `integrate_lanes`."""

    problem: LaneProblem
    method: Any
    cases: Any
    options: Any
    threads: int | None


class WatchedBatch(Watched):
    """Many runs in lanes."""

    whole: LaneRun

    @property
    def lanes(self) -> int:  # type: ignore[override]
        """Runs side by side."""
        return self.whole.problem.rhs.lanes

    def integrate(self, problem: LaneProblem) -> object:
        """Integrate in one thread."""
        run = self.whole
        return integrate_lanes(problem, run.method, run.cases, run.options, 1)


def watched(name: str, model: tr.Model, duration: float) -> Watched:
    """The integration of a run, intercepted."""
    caught: list[tuple[GuardedRun, Formulation]] = []

    def catch(formulation: Formulation, run: GuardedRun) -> object:
        caught.append((run, formulation))
        return integrate_guarded(formulation, run)

    with patch.object(study, "integrate_guarded", catch):
        run = model.build().simulate(duration, samples=2)
    if not run.ok:
        raise RuntimeError(f"{name}: {run.outcome}")
    return WatchedRun(name, *caught[0])


def watched_batch(name: str, model: tr.Model, duration: float, start: dict[str, np.ndarray]) -> Watched:
    """The integration of a batch in lanes, intercepted."""
    caught: list[LaneRun] = []

    def catch(*asked: Any) -> object:
        caught.append(LaneRun(*asked))
        return integrate_lanes(*asked)

    system = model.build()
    with patch.object(batch_study, "integrate_lanes", catch):
        found = system.batch(duration, start, samples=None, threads=1)
    if {*found.outcomes} != {"FINISHED"}:
        raise RuntimeError(f"{name}: {found.outcomes}")
    return WatchedBatch(name, caught[0], system.formulation)


def tangent_surface(swings: bool) -> tr.Model:
    """The example; a spring lets the ball swing for as long as one likes."""
    model = tr.examples.model("sphere-on-tangent-surface")
    if swings:
        model.apply(tr.SpringDamper(model.ground.at(1.0, 1.5, 2.5), model.bodies["ball"], 40.0))
    return model


def runs() -> list[Watched]:
    """The two examples in which surfaces may touch twice, alone and in lanes."""
    return [
        watched("spiral column, long", tr.examples.model("spiral-column"), 100.0),
        watched("tangent surface, long", tangent_surface(swings=True), 400.0),
        watched("spiral column, short", tr.examples.model("spiral-column"), 1.6),
        watched("tangent surface, short", tangent_surface(swings=False), 1.0),
        watched_batch(
            "spiral column, 64 in lanes", tr.examples.model("spiral-column"), 50.0,
            {"column.displacement_rate": np.linspace(1.0, 2.0, 64)},
        ),
        watched_batch(
            "tangent surface, 64 in lanes", tangent_surface(swings=True), 400.0,
            {"surface.angle_rate": np.linspace(0.5, 0.505, 64)},
        ),
    ]  # fmt: skip


def seconds(call: Callable[[], object]) -> float:
    """Processor seconds of one call."""
    start = time.process_time()
    call()
    return time.process_time() - start


def timed(run: Watched, rounds: int) -> dict[str, float]:
    """Best processor seconds of each kind."""
    kinds = run.kinds()
    cases = {kind: (lambda call=call: seconds(call)) for kind, call in kinds.items()}
    interleave(cases, 2)
    return {kind: timing.best for kind, timing in interleave(cases, rounds).items()}


def work_of(function: Any) -> int:
    """Operations of a tape, in additions."""
    kinds = Counter(op for op, _, _ in read_tape(function).operations if op not in PARTS)
    plain, divisions = (sum(kinds[op] for op in some) for some in (PLAIN, DIVISIONS))
    return plain + DIVISION * divisions + FUNCTION * (kinds.total() - plain - divisions)


def prices(run: Watched) -> dict[str, float]:
    """Operations of one call of each kernel."""
    f, problem, wide = run.formulation, run.whole.problem, max(1.0, run.lanes / LANES)
    functions = {name: function for name, function in base(f).items() if function is not None} | guard_kernel(f)
    found: dict[str, float] = {name: wide * work_of(function) for name, function in functions.items()}
    found["guards"] += wide * (PER_GUARD * problem.n_guards + PER_LOOK)
    if run.lanes > 1:  # guards at the ends of steps, with the slopes where that is cheaper
        judged = wide * (PER_JUDGED * problem.n_guards + PER_LOOK)
        found["guarded"] = wide * work_of(wide_kernels(f)["guarded"]) + judged if problem.guarded is not None else 0.0
    if problem.other_normals is not None:
        around = problem.other_normals.kernels[0].lanes
        for (name, function), reach in zip(other_normal_kernels(f).items(), problem.other_normals.reach, strict=True):
            compared = problem.rhs.n_p if run.lanes == 1 else 0
            loop = around * (PER_LANE + PER_COORDINATE * len(reach) + f.n_x / LANES) + f.n_x + 2 * compared
            found[name] = work_of(function) * around / LANES + loop
            found[f"{name} arrived"] = PER_ARRIVED + PER_ITS_COORDINATE * len(reach)
    return found


def arrived(kernel: Kernel, n: int, places: dict[str, np.ndarray], x: int, out: int) -> int:
    """Lanes in one call of a kernel for second contacts that have found a common normal or must begin elsewhere: by the
    places of the loop, of which those of this call have the coordinates that the kernel was given.
    """
    w = kernel.lanes
    given, found = (
        np.frombuffer((ctypes.c_double * (rows * w)).from_address(at)) for rows, at in ((n, x), (2 * n + 9, out))
    )
    packs = zip(places["normal_first"], places["normal_held"].reshape(-1, w), strict=True)
    held = next(
        h for first, h in packs if np.array_equal(places["normal_s"][first * w :][: n * w], given, equal_nan=True)
    )
    return int(np.sum((held != 0) | ~np.isfinite(found[-w:])))


def counted(run: Watched) -> dict[str, float]:
    """Operations of each kind."""
    price, found = prices(run), {}
    for kind, problem in run.problems().items():
        calls: Counter[str] = Counter()
        kept: list[Any] = []
        places_of: dict[str, np.ndarray] = {}

        def catch(
            other_normals: OtherNormals, n_x: int, packs: int, known: Any = OtherNormals.places, places: Any = places_of
        ) -> Any:
            arrays, addresses = known(other_normals, n_x, packs)
            places.update(arrays)
            return arrays, addresses

        def counting(
            kernel: Any, calls: Counter[str] = calls, kept: list[Any] = kept, at: dict[str, np.ndarray] = places_of
        ) -> Any:
            if not isinstance(kernel, Kernel) or kernel.name not in price:
                return kernel

            def call(*places: int) -> None:
                calls[kernel.name] += 1
                kernel.function(*places)
                if f"{kernel.name} arrived" in price:
                    n = (kernel.n_out - 9) // 2
                    calls[f"{kernel.name} arrived"] += arrived(kernel, n, at, places[1], places[3])

            kept.append(ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 5)(call))
            return replace(kernel, address=ctypes.cast(kept[-1], ctypes.c_void_p).value)

        known = {
            name: counting(getattr(problem, name))
            for name in ("rhs", "project", "guards", "guarded")
            if hasattr(problem, name)
        }
        other_normals = problem.other_normals
        if other_normals is not None:
            other_normals = replace(other_normals, kernels=tuple(map(counting, other_normals.kernels)))
        with patch.object(OtherNormals, "places", catch):
            run.integrate(replace(problem, other_normals=other_normals, **known))
        found[kind] = sum(count * price[name] for name, count in calls.items())
    return found


def main() -> None:
    """Print the table."""
    by_count = "--operations" in sys.argv
    rounds = next((int(word) for word in sys.argv[1:] if word.isdigit()), 40)
    print(f"{'':32s}{'guards':>10s}{'second contacts':>18s}{'both':>8s}")
    for run in runs():
        cost = counted(run) if by_count else timed(run, rounds)
        guards, other_normals, both = (100 * (cost[a] - cost[b]) / cost["none"] for a, b in DIFFERENCES)
        verdict = "below" if both < BAR else "ABOVE"
        print(f"{run.name:32s}{guards:9.1f}%{other_normals:17.1f}%{both:7.1f}%  {verdict} the bar of {BAR:g} %")


if __name__ == "__main__":
    machine_code_at_once()
    main()
