"""Collision of a rimless wheel (a planar body with two feet) with compliant feet and exact Coulomb friction.

The feet yield along the normal only. The configuration is taken as constant: deformations are small against the
spokes. Both feet stand on one line, so they share one tangential speed; sticking is a constraint [Barjau 2022].
"""

from ctypes import CFUNCTYPE, c_void_p
from math import cos, inf, isfinite, pi, sin, sqrt

import numpy as np

from trundle.errors import ModelError, SolveError
from trundle.impact import compliant_layout as at
from trundle.impact.collision import SLIDING, Collision, ContactPhase
from trundle.impact.foot_law import BiStiffness, FootLaw, ScaledLaw, scaled
from trundle.integrate.methods.explicit import DormandPrince8
from trundle.kernel.compiled import address

TOLERANCE = 1e-13  # of a step, in units of mass, stiffness and approach speed
CAPACITY = 1024  # rows of the first attempt
_ENDINGS = {at.RELEASED: "released", at.AT_REST: "at rest", at.TIME_OVER: "time over"}
_FEET = ("front foot", "back foot")


def collide(
    inertia_ratio: float,
    half_angle: float,
    friction: float,
    slip: float,
    approach: float = -1.0,
    law: FootLaw | None = None,
    mass: float = 1.0,
    length: float = 1.0,
    gravity: float = 0.0,
    duration: float | None = None,
) -> Collision:
    """Let the front foot strike with the normal velocity `approach` and the tangential velocity `slip` (m/s) while the
    back foot stands on the ground without load; the moment of inertia is inertia_ratio mass length^2, the angle
    between the spokes 2 half_angle (rad). Without gravity the velocities depend on the law only by ratios of its
    numbers, and not on mass and length.
    """
    law = BiStiffness() if law is None else law
    _check(inertia_ratio, half_angle, friction, slip, approach, mass, length, gravity, duration)
    speed = -approach
    units = scaled(law, mass, speed)
    p = _parameters(inertia_ratio, half_angle, friction, units)
    p[at.GRAVITY] = gravity * units.time / speed
    p[at.END] = 1e6 if duration is None else duration / units.time
    rows, status = _run(p, slip / speed, *_start(p, slip))
    if status not in _ENDINGS or (status == at.TIME_OVER and duration is None):
        raise SolveError(
            f"the collision does not end (inertia ratio {inertia_ratio:g}, half angle {half_angle:g} rad, friction "
            f"{friction:g}, slip {slip:g} m/s). Damped feet under gravity come to rest only slowly: give a duration."
        )
    phases, events = _story(rows, units.time)
    metre, newton = speed * units.time, mass * speed / units.time
    momentum, joule = mass * speed, mass * speed**2
    y, force = rows[:, at.R_Y : at.R_FORCE].T, rows[:, at.R_FORCE : at.R_MODE].T
    return Collision(
        inertia_ratio=inertia_ratio, half_angle=half_angle, friction=friction, law=law, mass=mass, length=length,
        gravity=gravity, ending=_ENDINGS[status], time=rows[:, at.R_T] * units.time,
        front_velocity=y[at.V_F] * speed, back_velocity=y[at.V_B] * speed, slip=y[at.V_T] * speed,
        front_deformation=y[at.D_F] * metre, back_deformation=y[at.D_B] * metre,
        front_force=force[0] * newton, back_force=force[1] * newton, friction_force=force[2] * newton,
        front_impulse=y[at.P_F] * momentum, back_impulse=y[at.P_B] * momentum, friction_impulse=y[at.P_T] * momentum,
        front_work=y[at.E_F] * joule, back_work=y[at.E_B] * joule, friction_work=y[at.E_T] * joule,
        phases=phases, events=events,
    )  # fmt: skip


def _check(
    inertia_ratio: float, half_angle: float, friction: float, slip: float, approach: float, mass: float, length: float,
    gravity: float, duration: float | None,
) -> None:  # fmt: skip
    """All faults at once."""
    faults = []
    if not 0 < inertia_ratio < inf:
        faults.append(f"inertia_ratio must be above zero and finite (a foot needs inertia), got {inertia_ratio!r}.")
    if not 0 < half_angle < pi / 2:
        faults.append(f"half_angle must lie between 0 and pi/2 (it is in rad), got {half_angle!r}.")
    if not 0 <= friction < inf:
        faults.append(f"friction must not be negative, got {friction!r}.")
    if not isfinite(slip):
        faults.append(f"slip must be finite, got {slip!r}.")
    if not -inf < approach < 0:
        faults.append(f"approach must be below zero: the front foot comes down, got {approach!r}.")
    for name, value in {"mass": mass, "length": length}.items():
        if not 0 < value < inf:
            faults.append(f"{name} must be above zero and finite, got {value!r}.")
    if not 0 <= gravity < inf:
        faults.append(f"gravity must not be negative, got {gravity!r}.")
    if duration is not None and not 0 < duration < inf:
        faults.append(f"duration must be above zero, got {duration!r}.")
    if faults:
        raise ModelError(faults)


def _parameters(inertia_ratio: float, half_angle: float, friction: float, law: ScaledLaw) -> np.ndarray:
    """Inverse mass seen by the three velocities (front normal, back normal, tangent) and the law."""
    s, c = sin(half_angle), cos(half_angle)
    p = np.zeros(at.P_SIZE)  # [Barjau 2022, Eqs. A.2, A.4]
    p[at.W_FF] = p[at.W_BB] = 1 + s**2 / inertia_ratio
    p[at.W_FB] = 1 - s**2 / inertia_ratio
    p[at.W_FT] = s * c / inertia_ratio
    p[at.W_BT] = -p[at.W_FT]
    p[at.W_TT] = 1 + c**2 / inertia_ratio
    p[at.MU] = friction
    p[at.HIGH], p[at.LOW], p[at.EXPONENT] = law.high, law.low, law.exponent
    p[at.FACTOR], p[at.DAMPER] = law.factor, law.damper
    fastest = 2 * law.high * max(1 + s**2 / inertia_ratio, 1) + friction * p[at.W_FT]
    p[at.STEP] = 0.15 / sqrt(fastest)  # short against the fastest oscillation: no transition hides inside a step
    p[at.TOLERANCE] = TOLERANCE
    return p


def _start(p: np.ndarray, slip: float) -> tuple[np.ndarray, np.ndarray]:
    """What the feet do just after touch, when the force of the front foot is far above that of the back foot, and the
    forces at touch.
    """
    mu_c = p[at.W_FT] / p[at.W_TT]
    slide = int(np.sign(slip)) if slip else int(mu_c > p[at.MU])
    tangent = -slide * p[at.MU] if slide else -mu_c
    lift = p[at.W_FB] + p[at.W_BT] * tangent  # of the back foot by a unit force at the front foot
    early = lift * p[at.DAMPER] - p[at.GRAVITY]  # a damper acts at once, a spring only later
    driven = early < 0 if early else lift < 0
    modes = np.array([slide, at.COMPRESSES, at.COMPRESSES if driven else at.OPEN], np.int64)
    return modes, p[at.DAMPER] * np.array([1.0, 0.0, tangent])


def _run(p: np.ndarray, slip: float, start: np.ndarray, force: np.ndarray) -> tuple[np.ndarray, int]:
    """Rows of the motion and how it ended; a record that is too small is made larger."""
    plan = DormandPrince8().plan()
    capacity = CAPACITY
    while True:
        y = np.zeros(at.N_Y)
        y[at.V_F], y[at.V_T] = -1.0, slip
        count = np.zeros(at.C_SIZE, np.int64)
        count[[at.STAGES, at.WIDTH, at.LENGTH, at.CAPACITY]] = plan.stages, plan.rows, at.N_Y, capacity
        rows = np.empty((capacity, at.R_SIZE))
        arrays = [p, start.copy(), count, y, np.zeros(at.N_Y), np.zeros(plan.stages * at.N_Y), np.zeros(5)]
        arrays += [force.copy(), plan.coefficients, rows]
        table = np.array([array.ctypes.data for array in arrays], np.int64)
        CFUNCTYPE(None, c_void_p)(address("collide_feet", "trundle.impact.compliant_loop"))(table.ctypes.data)
        if count[at.STATUS] != at.FULL:
            return rows[: count[at.ROWS]], int(count[at.STATUS])
        capacity *= 8


def _story(rows: np.ndarray, unit: float) -> tuple[tuple[ContactPhase, ...], tuple[tuple[float, str], ...]]:
    """Phases and transitions told by the modes; phases without duration are left out."""
    modes = rows[:, at.R_MODE :].astype(int)
    starts = np.flatnonzero(np.r_[True, np.any(np.diff(modes, axis=0) != 0, axis=1)])
    phases: list[ContactPhase] = []
    events: list[tuple[float, str]] = []
    for n, first in enumerate(starts):
        start = float(rows[first, at.R_T] * unit)
        if n:
            events += [(start, text) for text in _changes(modes[first - 1], modes[first])]
        if n + 1 == len(starts) and not rows[first, at.R_FORCE : at.R_FORCE + 2].any():
            break
        end = float(rows[starts[n + 1] - 1 if n + 1 < len(starts) else -1, at.R_T] * unit)
        sliding = SLIDING[modes[first, at.SLIDE]]
        front, back = ("open" if mode == at.OPEN else sliding for mode in modes[first, 1:])
        if phases and phases[-1][2:] == (front, back):
            phases[-1] = phases[-1]._replace(end=end)
        elif end > start:
            phases.append(ContactPhase(start, end, front, back))
    return tuple(phases), tuple(events)


def _changes(before: np.ndarray, after: np.ndarray) -> list[str]:
    """Words for what happens at a transition."""
    texts = []
    if before[at.SLIDE] != after[at.SLIDE]:
        kind = {0: "sliding stops", 1: "slides forward", -1: "slides backward"}
        texts.append(kind[int(after[at.SLIDE])])
    for foot, old, new in zip(_FEET, before[1:], after[1:], strict=True):
        if old != new:
            words = {at.OPEN: "leaves", at.COMPRESSES: "compresses", at.EXPANDS: "expands", at.HELD: "is held"}
            texts.append(f"{foot} {'touches' if old == at.OPEN else words[int(new)]}")
    return texts
