"""Derivatives of a run with respect to parameters and start values, at each of its samples.

Between the events of the run the motion is integrated again together with its derivatives, by the same compiled loop
and from the states of the run; at the events the derivatives jump.
"""

from dataclasses import dataclass
from typing import final

import numpy as np

from trundle.equations.breaks import time_switches
from trundle.equations.formulation import Formulation
from trundle.errors import SolveError
from trundle.integrate.audit import AuditData
from trundle.integrate.case import Case
from trundle.integrate.trajectory import Trajectory
from trundle.kernel import evaluate
from trundle.run.run import Run
from trundle.run.sensitivities import Sensitivities
from trundle.study.run_options import RunOptions
from trundle.study.sensitivity.at_start import StartOf
from trundle.study.sensitivity.check import Again, check_derivatives
from trundle.study.sensitivity.extended import Extended
from trundle.study.sensitivity.jumps import AT_ONCE, changed_by_events, event_jumps, jumps_of
from trundle.typing import Array

AT_LIMIT = 1e-12  # part of the friction that is left: round-off
ASTRAY = 1e-5  # relative difference between the run and the motion that is integrated with its derivatives


def differentiate(run: Run, case: Case, start: StartOf, options: RunOptions, again: Again) -> None:
    """Give the run of a case its derivatives by the parameters and start values that the options name."""
    if options.on_event is not None:
        raise SolveError(
            "a run with on_event has no derivatives: the values that it returns are unknown to the equations. Give "
            "the events actions, m.event(..., action={...})."
        )
    if options.chosen_method().needs_jacobian:
        raise SolveError(
            "derivatives are integrated by explicit methods: leave method='auto', and allow for many steps "
            "(steps=tr.Steps(most=...)) where the model is stiff."
        )
    _refuse_limits(start.formulation, run)
    names = options.sensitivity
    if len({*names}) < len(names):
        raise SolveError(f"sensitivity={list(names)!r} has a name twice.")
    f, trajectory = start.formulation, run.trajectory
    assert trajectory is not None
    variables = start.variables(names)
    places = [v.place for v in variables if v.is_parameter]
    used = tuple(sorted({*places, *changed_by_events(f)}))
    _refuse_moving_breaks(f, [v.name for v in variables if v.is_parameter], places)
    P = np.array([[float(v.place == place) for v in variables] for place in used]).reshape(len(used), len(variables))
    sizes = np.array([v.size for v in variables])
    way = _Way(f, trajectory, Extended(f, used, len(variables)), options.accuracy.rtol, sizes)
    found = way.follow(case, start.derivative(variables), P)
    run.sensitivities = Sensitivities(names, tuple(v.unit for v in variables), used, *found)
    check_derivatives(run, start, again, options.accuracy.rtol)


def _refuse_moving_breaks(f: Formulation, names: list[str], places: list[int]) -> None:
    """A law that switches at a time that depends on a parameter jumps where the derivative on the tape is zero."""
    moving = time_switches(f.functions.rhs(), f.functions.equations.p, f.model.breaks, places)
    for name, moves in zip(names, moving, strict=True):
        if moves:
            raise SolveError(
                f"the time at which a law switches depends on {name!r}; the derivative by it is not known to the "
                "equations. Let an event change the law at that time, m.event(..., action={...})."
            )


def _refuse_limits(f: Formulation, run: Run) -> None:
    """A contact that sticks at the very limit of its friction slides in some motions nearby and not in others."""
    found = run.trajectory
    places = {i: c for i, c in enumerate(f.transitions, start=len(f.model.events)) if c.kind == "slips"}
    audit_data = None if found is None or not places else AuditData.of(found)
    if found is None or audit_data is None:
        return
    trail, kernel = audit_data.trail, f.kernels("events")["events"]
    values = evaluate(kernel, kernel, trail.t, trail.x, audit_data.parameters(trail), threads=1)
    quiet = np.all(np.abs(trail.t[:, None] - found.events.t) > AT_ONCE * max(1.0, abs(found.t_end)), axis=1)
    for i, change in places.items():
        at = np.flatnonzero((np.abs(values[:, i]) < AT_LIMIT) & quiet & (trail.t < found.t_end))
        if len(at):
            raise SolveError(
                f"at t = {trail.t[at[0]]:.6g} s contact {change.contact!r} sticks at the very limit of its friction: "
                "motions nearby may slide, and the run has no derivative beyond that time."
            )


@final
@dataclass(frozen=True, eq=False)
class _Way:
    """The run that is followed."""

    formulation: Formulation
    trajectory: Trajectory
    extended: Extended
    rtol: float
    sizes: Array  # of the variables

    def follow(self, case: Case, S: Array, P: Array) -> tuple[Array, Array, Array]:
        """S and P at the samples, and the derivatives of the times of all events, from those at the start."""
        run, e = self.trajectory, self.extended
        jumps = jumps_of(self.formulation, e.used)
        found = np.full((len(run.t), e.n, e.columns), np.nan)
        parameters = np.full((len(run.t), *P.shape), np.nan)
        times = np.full((len(run.events), e.columns), np.nan)
        t, x, p, done = case.t0, case.x0, case.p, 0
        for first, last, event in [
            *event_jumps(run.events, run.p_end, jumps),
            (len(run.events), len(run.events), None),
        ]:
            end = run.t_end if event is None else event.t
            here = np.flatnonzero((run.events_before >= done) & (run.events_before <= first))
            x_end = run.x_end if event is None else event.x[0]
            found[here], S = self._stretch(Case(t, end, e.state(x, S), e.parameters(p, P)), run.t[here], x_end)
            parameters[here] = P
            if event is None:
                break
            x, S, P, dt = jumps.after(event, S, P)
            times[first : last + 1] = dt
            within = np.flatnonzero((run.events_before > first) & (run.events_before <= last))
            found[within], parameters[within] = S, P
            t, p, done = event.t, event.p_after, last + 1
        return found, parameters, times

    def _stretch(self, case: Case, times: Array, x_end: Array) -> tuple[Array, Array]:
        """S at the samples between two events, and at the second of them."""
        e = self.extended
        if case.t1 - case.t0 <= AT_ONCE * max(1.0, abs(case.t1)):
            S = e.derivatives(case.x0[None, :])[0]
            return np.broadcast_to(S, (len(times), *S.shape)), S
        atol = np.concatenate([self.trajectory.atol, np.outer(1 / self.sizes, self.trajectory.atol).ravel()])
        found, x, S = e.integrate(case, np.clip(times, case.t0, case.t1), self.rtol, atol)
        steers = self.formulation.states.error_weights > 0
        off = np.abs(x - x_end)[steers] / (1.0 + np.abs(x_end[steers]))
        if np.max(off, initial=0.0) > max(ASTRAY, 100 * self.rtol):
            raise SolveError(
                f"the motion followed with its derivatives leaves that of the run before t = {case.t1:.6g} s: it is "
                "too sensitive, or the tolerance is too loose, for derivatives."
            )
        return found, S
