"""Guards of contacts in a batch: the cases in which one is broken are run again, each as a single run is.

All cases are looked at through samples, in parts so that those of many cases find room.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from trundle.equations.formulation import Formulation
from trundle.integrate.case import Cases
from trundle.integrate.lanes.batch_events import BatchEvents, keep_run
from trundle.integrate.lanes.integrate import Batch
from trundle.integrate.methods.tableau import Method
from trundle.integrate.options import Options, Sampling
from trundle.integrate.outcome import TOO_MANY_STEPS
from trundle.integrate.problem import Problem
from trundle.pairs.higher import HigherPair
from trundle.study.guards import (
    BROKEN_OFF,
    GuardedRun,
    find_guards,
    first_look,
    guards_at,
    integrate_guarded,
    looked_at,
)
from trundle.typing import Array

ROOM = 2**25  # numbers kept at once to look at
Integrate = Callable[[Cases, Options], tuple[Batch, BatchEvents | None]]


def integrate_cases(
    f: Formulation, by: Integrate, single: Problem, method: Method, cases: Cases, options: Options
) -> tuple[Batch, BatchEvents | None]:
    """All cases `by(cases, options)`, each up to the first guard that is broken; all start and end together."""
    if not any(isinstance(c.pair, HigherPair) for c in f.model.connections.values()):
        return by(cases, options)
    asked = np.zeros(0) if options.samples.times is None else options.samples.times
    looks = looked_at(f, asked, float(cases.t0), float(cases.t1))
    assert looks is not None
    most, kept = first_look(f, options.limits.most), np.isin(looks, asked)
    looking = replace(options, samples=Sampling(looks), limits=replace(options.limits, most=most))
    whole = replace(options, samples=Sampling(asked))
    size = max(1, ROOM // max(1, len(looks) * (cases.x0.shape[1] + cases.p.shape[1])))
    parts = []
    for first in range(0, max(1, len(cases)), size):
        some = cases.part(slice(first, first + size))
        batch, log = by(some, looking)
        doubtful = _broken(f, batch, log, some.p)
        batch = replace(batch, t=batch.t[kept], x=batch.x[:, kept])
        if log is not None:
            log = replace(log, p=log.p[:, kept], events_before=log.events_before[:, kept])
        for i in doubtful:
            found = integrate_guarded(f, GuardedRun(single, method, some[i], whole))
            batch.x[i] = np.nan
            keep_run(batch, log, i, found)
            if found.outcome.ok and found.audit is not None:
                batch.code[i] = found.audit.outcome.code
            elif not found.outcome.ok:
                batch.told[i] = found.outcome
        parts.append((batch, log))
    return _joined(parts, size)


def _broken(f: Formulation, batch: Batch, log: BatchEvents | None, p: Array) -> list[int]:
    """Cases in which a guard has changed its sign, or that broke off."""
    names = (*BROKEN_OFF, TOO_MANY_STEPS.name)
    broken = np.array([batch.outcome(i).name in names for i in range(len(p))], bool)
    if len(p) and f.once(find_guards):
        count, width = len(p), len(batch.t)
        at_samples = np.repeat(p, width, axis=0) if log is None else log.p.reshape(count * width, -1)
        states = batch.x.reshape(count * width, -1)
        values = guards_at(f, np.tile(batch.t, count), states, at_samples).reshape(count, width, -1)
        last = guards_at(f, batch.t_end, batch.x_end, p if log is None else log.p_end)
        signs = np.sign(values[:, :1])
        broken |= np.any(values * signs < 0, axis=(1, 2)) | np.any(last * signs[:, 0] < 0, axis=1)
    return [int(i) for i in np.flatnonzero(broken)]


def _joined(parts: list[tuple[Batch, BatchEvents | None]], size: int) -> tuple[Batch, BatchEvents | None]:
    """The parts as one batch; all but the last have `size` cases."""
    if len(parts) == 1:
        return parts[0]
    batches, logs = [b for b, _ in parts], [log for _, log in parts if log is not None]
    columns = ("x", "t_end", "x_end", "code", "steps", "rejected")
    told = {k * size + i: outcome for k, b in enumerate(batches) for i, outcome in b.told.items()}
    joined = {c: np.concatenate([getattr(b, c) for b in batches]) for c in columns}
    whole = replace(batches[0], **joined, told=told)
    if not logs:
        return whole, None
    events = [log for part in logs for log in part.events]
    return whole, BatchEvents(
        events, *(np.concatenate([getattr(log, c) for log in logs]) for c in ("p", "p_end", "events_before"))
    )
