"""What it costs to watch the contacts of a run: guards, and second points of contact, in per cent of the run without.

python -m benchmarks.watching [rounds]

The same integration with and without, taking turns in one process; processor seconds, best of the rounds. `long` runs
have thousands of steps; `short` ones a few dozen, so that what a run takes to begin counts. With `--instructions` the
instructions of the long runs are counted instead, which no other work on the machine disturbs:

valgrind --tool=callgrind --instr-atstart=no --callgrind-out-file=counted python -m benchmarks.watching --instructions
"""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from os import getpid
from pathlib import Path
from unittest.mock import patch

import numpy as np

import trundle as tr
from benchmarks.interleave import interleave, machine_code_at_once
from trundle.integrate.integrate import integrate
from trundle.integrate.options import Sampling
from trundle.study import simulate as study
from trundle.study.guarded_run import GuardedRun, integrate_guarded

BAR = 5.0  # per cent, for second contacts
TURNS = 3  # runs of each kind whose instructions are counted


@dataclass(frozen=True)
class Watched:
    """A run that can be made with all watching, without that for second contacts, and without any."""

    name: str
    whole: GuardedRun

    def kinds(self) -> dict[str, Callable[[], object]]:
        """The three integrations, by what they look at."""
        run, problem = self.whole, self.whole.problem
        samples = Sampling(np.array([run.case.t0, run.case.t1]))
        options = replace(run.options, samples=samples)
        alone = replace(problem, rivals=None)
        problems = {"all": problem, "guards": alone, "none": replace(alone, guards=None, n_guards=0)}
        return {kind: lambda p=p: integrate(p, run.method, run.case, options) for kind, p in problems.items()}


def watched(name: str, model: tr.Model, duration: float) -> Watched:
    """The integration of a run, caught on its way."""
    caught: list[GuardedRun] = []

    def catch(formulation: object, run: GuardedRun) -> object:
        caught.append(run)
        return integrate_guarded(formulation, run)  # type: ignore[arg-type]

    with patch.object(study, "integrate_guarded", catch):
        run = model.build().simulate(duration, samples=2)
    if not run.ok:
        raise RuntimeError(f"{name}: {run.outcome}")
    return Watched(name, caught[0])


def tangent_surface(swings: bool) -> tr.Model:
    """The example; a spring lets the ball swing for as long as one likes."""
    model = tr.examples.model("sphere-on-tangent-surface")
    if swings:
        model.apply(tr.SpringDamper(model.ground.at(1.0, 1.5, 2.5), model.bodies["ball"], 40.0))
    return model


def runs() -> list[Watched]:
    """The two examples in which surfaces may touch twice."""
    return [
        watched("spiral column, long", tr.examples.model("spiral-column"), 100.0),
        watched("tangent surface, long", tangent_surface(swings=True), 400.0),
        watched("spiral column, short", tr.examples.model("spiral-column"), 1.6),
        watched("tangent surface, short", tangent_surface(swings=False), 1.0),
    ]


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


def counted(run: Watched) -> dict[str, float]:
    """Instructions of each kind, in a process that callgrind watches."""
    found, file = {}, Path("counted")

    def control(*words: str) -> None:
        subprocess.run(["callgrind_control", *words, str(getpid())], check=True, capture_output=True)

    for kind, call in run.kinds().items():
        call()
        control("-i", "on")
        control("-z")
        for _ in range(TURNS):
            call()
        control("-d", f"{run.name} {kind}")
        control("-i", "off")
        dumps = [p for p in file.parent.glob("counted.*") if f"{run.name} {kind}" in p.read_text()]
        found[kind] = float(re.findall(r"^totals: (\d+)", dumps[-1].read_text(), re.MULTILINE)[-1])
    return found


def main() -> None:
    """Print the table."""
    by_count = "--instructions" in sys.argv
    rounds = next((int(word) for word in sys.argv[1:] if word.isdigit()), 40)
    print(f"{'':28s}{'guards':>10s}{'second contacts':>18s}")
    for run in runs():
        if by_count and "short" in run.name:
            continue
        cost = counted(run) if by_count else timed(run, rounds)
        guards, rivals = (100 * (cost[a] / cost[b] - 1) for a, b in (("guards", "none"), ("all", "guards")))
        print(f"{run.name:28s}{guards:9.1f}%{rivals:17.1f}%{'' if rivals < BAR else '  above the bar'}")


if __name__ == "__main__":
    machine_code_at_once()
    main()
