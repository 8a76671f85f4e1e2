"""Runs in lanes whose steps shrink without end are ended as single ones are, each after as many steps of its own."""

from typing import final

import numpy as np

from trundle.integrate import codes as at
from trundle.integrate.creeping import Creeping, Progress
from trundle.integrate.record import LaneRecord


@final
class CreepingLanes:
    """Looks at the runs that are in the lanes of a thread; the arrays are those of the compiled loop."""

    def __init__(self, run: LaneRecord, arrays: dict[str, np.ndarray]) -> None:
        self._run, self._arrays = run, arrays
        self._runs: dict[int, Creeping] = {}  # of the jobs that are in a lane

    def steps(self, most: int) -> int:
        """Steps of all lanes until the next look at one of the runs, at most so many."""
        busy = {int(job): self._progress(lane, int(job)) for lane, job in enumerate(self._arrays["job"]) if job >= 0}
        starts = self._arrays["job_start"]
        self._runs = {job: self._runs.get(job) or Creeping(Progress(float(starts[job]), 0)) for job in busy}
        return min((self._runs[job].left(here) for job, here in busy.items()), default=most)

    def end(self) -> None:
        """End the runs that creep, and leave their lanes idle."""
        a, run = self._arrays, self._run
        for lane, job in enumerate(a["job"].tolist()):
            known = self._runs.get(job)
            start, end = (float(a[name][job]) for name in ("job_start", "job_end"))
            if known is not None and known.seen(self._progress(lane, job), start, end, run.max_steps):
                a["job_x"][job], a["job_t"][job], a["job_code"][job] = a["x"][:, lane], a["t"][lane], at.STEP_TOO_SMALL
                a["h"][lane], a["job"][lane] = 0.0, -1
                run.busy -= 1

    def _progress(self, lane: int, job: int) -> Progress:
        a = self._arrays
        return Progress(float(a["t"][lane]), int(a["job_steps"][job] + a["job_rejected"][job]))
