"""Signs of event functions, and thresholds below which they count as zero (compiled)."""

from trundle.integrate import codes as at
from trundle.integrate.record import LoopRecord
from trundle.kernel.pointers import Pointer, call, strict

POINTS = 7  # points in a step at which event functions are evaluated: six inside and the end
NONE = 2.0  # fraction of the step that stands for "no root"
NO_GAP = 1e-12  # of the typical length of the run: smaller gaps are round-off
SAME_TIME = 1e-12  # of the time: events closer than this happen together


@strict
def sign_of(value: float) -> int:
    return int(value > 0.0) - int(value < 0.0)


@strict
def at_limit(run: LoopRecord, e: int) -> bool:
    """Whether an event is one beyond which a contact must not come, as what enters a body past the end of a face: at
    zero its sign is unknown until it is clearly beyond.
    """
    return run.due[e] == 0 and run.direction[e] == -1 and (run.kind[e] == at.JAM or run.kind[e] == at.STOP)


@strict
def same_time(run: LoopRecord, t: float) -> float:
    """Time difference (s) below which two times near t are considered equal; near zero it is relative to the time scale
    of the run.
    """
    return SAME_TIME * max(run.time_scale, abs(t))


@strict
def round_off(run: LoopRecord, e: int, state: Pointer) -> float:
    """Bound of the round-off in the value of a user's event function at a state and the time in CLOCK."""
    clock = run.clock
    address = run.round_off_kernel
    noise = run.g_noise
    call(address, clock, state, run.p, noise, run.work)
    return 4.0 * noise[e]
