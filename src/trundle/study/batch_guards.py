"""Guards of contacts in a batch: cases in which a guard is violated are run again as single runs.

The compiled loops check the guards along the steps of every case, and stop the case where one is violated.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np

from trundle.equations.formulation import Formulation
from trundle.integrate.case import Cases
from trundle.integrate.interruption import ends_run, part_of_study
from trundle.integrate.lanes.batch_events import BatchEvents, Look, keep_run
from trundle.integrate.lanes.integrate import Batch
from trundle.integrate.methods.tableau import Method
from trundle.integrate.options import Options, Sampling
from trundle.integrate.outcome import ALARM, INTERRUPTED, TOO_MANY_STEPS
from trundle.integrate.problem import Problem
from trundle.integrate.trajectory import Trajectory
from trundle.pairs.higher import HigherPair
from trundle.study.guarded_run import BROKEN_OFF, GuardedRun, first_look, integrate_guarded
from trundle.study.second_contacts import overlapping
from trundle.typing import Array

DOUBTFUL = (*BROKEN_OFF, TOO_MANY_STEPS.name, ALARM.name)  # endings that a single run looks at again
Integrate = Callable[[Cases, Options], tuple[Batch, BatchEvents | None]]


def integrate_cases(
    f: Formulation,
    by: Integrate,
    single: Problem,
    method: Method,
    cases: Cases,
    options: Options,
    look: Look | None = None,
) -> tuple[Batch, BatchEvents | None]:
    """All cases `by(cases, options)`, each up to the first guard that is broken; all start and end together; `look`
    may give a run another outcome.
    """
    if not any(isinstance(c.pair, HigherPair) for c in f.model.connections.values()):
        return by(cases, options)
    times = options.samples.times
    options = replace(options, samples=Sampling(np.zeros(0) if times is None else times))
    batch, log = by(cases, replace(options, limits=replace(options.limits, most=first_look(f, options.limits.most))))
    again = [i for i in range(len(cases)) if batch.outcome(i).name in DOUBTFUL]
    again = sorted({*again, *_touching(f, batch, cases.p if log is None else log.p_end)})

    def run(i: int) -> None:
        found = integrate_guarded(f, GuardedRun(single, method, cases[i], options))
        _keep(batch, log, i, found if look is None else look(i, found))

    run_again(batch, again, run)
    return batch, log


def run_again(batch: Batch, cases: Iterable[int], run: Callable[[int], None]) -> None:
    """Run cases of a batch once more, one after the other. After an interruption those that are left, and all of them
    where the batch itself was interrupted, are INTERRUPTED.
    """
    left = list(cases)
    try:
        with part_of_study():
            while left and not np.any(batch.code == INTERRUPTED.code):
                run(left[0])
                left.pop(0)
    except KeyboardInterrupt:
        if not ends_run():
            raise
    batch.code[left] = INTERRUPTED.code
    for i in left:
        batch.endings.pop(i, None)


def _touching(f: Formulation, batch: Batch, p_end: Array) -> list[int]:
    """Cases whose surfaces overlap elsewhere at the end."""
    ended = np.array([i for i in range(len(batch.code)) if batch.outcome(i).ok], int)
    return [int(i) for i in ended[overlapping(f, batch.t_end[ended], batch.x_end[ended], p_end[ended])]]


def _keep(batch: Batch, log: BatchEvents | None, i: int, found: Trajectory) -> None:
    """Write a single run into its row."""
    batch.x[i] = np.nan
    keep_run(batch, log, i, found)
    if found.outcome.ok and found.audit is not None:
        batch.code[i] = found.audit.outcome.code
    elif not found.outcome.ok:
        batch.endings[i] = found.outcome
