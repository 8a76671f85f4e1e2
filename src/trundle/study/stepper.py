"""A run that is advanced in steps with inputs from Python: closed loops with a controller outside the model."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NoReturn, final

import numpy as np

from trundle.equations.formulation import Formulation
from trundle.errors import SolveError, UnknownNameError
from trundle.integrate.audit import audited
from trundle.integrate.integrate import Integration
from trundle.integrate.options import Tolerances
from trundle.integrate.outcome import ALARM, FINISHED, Outcome
from trundle.integrate.workspace import Saved
from trundle.lookup.table import Table
from trundle.messages.arguments import advised, explain_calls, unknown_attribute
from trundle.model.check import finite_number
from trundle.model.input import signal_name
from trundle.run.quantities import RunQuantities
from trundle.run.turns import counts_up_to_turns, start_angles
from trundle.study.assigned_parameters import with_possible_parameters
from trundle.study.half_turn import within_half_turn
from trundle.study.run_options import RunOptions
from trundle.study.simulate import prepare
from trundle.study.state_space import refuse_motion
from trundle.typing import Array, Value, Values

if TYPE_CHECKING:
    from trundle.run.run import Run


ELSEWHERE = {
    "step": "stepper.advance(to=stepper.time + 0.01) integrates to a time",
    "simulate": "stepper.advance(to=stepper.end) integrates to the end",
    "state": "stepper['bob.angle'] is one quantity, stepper.states(names) are several",
    "reset": "saved = stepper.save() at the start, and stepper.restore(saved)",
    **dict.fromkeys(("t", "now"), "stepper.time is the time reached (s)"),
    **dict.fromkeys(
        ("observe", "get", "values", "observation"),
        "stepper['bob.angle'] is one quantity, stepper.states(names) are several",
    ),
    **dict.fromkeys(("close", "stop", "finish"), "nothing has to be closed; run = stepper.run() is the run so far"),
    **dict.fromkeys(("dt", "duration"), "stepper.advance(to=...) takes a time, stepper.end is the last"),
    "results": "run = stepper.run(), then run['bob.angle']",
}
"""What new users look for, and where it is."""


@final
@dataclass(frozen=True, eq=False)
class SavedStep:
    """A stepper at one moment."""

    run: Saved
    outcome: Outcome | None
    times: tuple[float, ...]
    levels: tuple[Array, ...]


@explain_calls
@final
class Stepper:
    """A run in progress. `advance(to)` integrates to a time with constant inputs, stepper["pole.angle"] is a quantity
    at the current time, `set({...})` sets inputs from then on, and `run()` returns the run so far.
    """

    def __init__(
        self, f: Formulation, duration: float, start: Values | None, parameters: Values | None,
        options: RunOptions,
    ) -> None:  # fmt: skip
        self.formulation = f
        self._tables = f.parameters.tables_of(f.model, parameters)
        own = f.model.inputs.values()
        self.inputs = tuple(i.name for i in own if self._tables[i.signal.name] is i.signal.table)  # those to be set
        self._ready = prepare(f, duration, start, parameters, options)
        self._integration = Integration(self._ready.problem, self._ready.method, self._ready.options)
        self._integration.begin(self._ready.case)
        self._places = [f.parameters.parameter(name) for name in self.inputs]
        self._times: list[float] = [self.time]
        self._levels: list[Array] = [self._ready.case.p[self._places]]
        self.outcome: Outcome | None = None  # of the last advance; one that is not FINISHED is the end of the run
        for name in self.inputs:
            refuse_motion(f, name)

    if not TYPE_CHECKING:  # type checkers would accept any attribute

        def __getattr__(self, name: str) -> object:
            raise unknown_attribute(self, name, ELSEWHERE)

    def __getstate__(self) -> NoReturn:
        raise TypeError(
            "a Stepper cannot be pickled or copied: it is a run in memory. stepper.save() and stepper.restore(saved) "
            "return to an earlier state, and stepper.run() gives a Run, which can be pickled."
        )

    def __setitem__(self, name: str, value: object) -> NoReturn:
        raise TypeError(
            f"a Stepper takes new values of inputs only, stepper.set({{'torque': 1.0}}); {name!r} cannot be assigned. "
            "Let an event change a state, or begin another stepper there."
        )

    def __repr__(self) -> str:
        ending = "" if self._can_advance else f", {self.outcome}"
        return f"<Stepper of {self.formulation.model.name!r} at {self.time:g} s of {self.end:g} s{ending}>"

    @property
    def time(self) -> float:
        """Time reached (s)."""
        return self._integration.time

    @property
    def end(self) -> float:
        """Time at which it ends (s)."""
        return self._ready.case.t1

    @property
    def _can_advance(self) -> bool:
        return self.outcome is None or self.outcome.name == "FINISHED"

    def __getitem__(self, name: str) -> Value:
        """A quantity at the time reached: a number, or an array of its components."""
        part, f = self.formulation.register.get(name), self.formulation
        q = part.quantity
        if q.group == "work" or counts_up_to_turns(f, q):
            values = np.atleast_1d(self._so_far().values(q.name)[-1])
        else:
            t, x, p = np.array([self.time]), self._integration.state[None, :], self._p()
            values = f.evaluate(q.name, t, x, p)[q.name][0]
        found = part.pick(values)
        return float(np.asarray(found).ravel()[0]) if part.size == 1 else found

    def _so_far(self) -> RunQuantities:
        """Quantities along the way to the time reached, for those that the state there does not determine."""
        f, ready = self.formulation, self._ready
        way = self._integration.workspace.trajectory(self.outcome or FINISHED)
        assert way.trail is not None
        way = replace(way, t=way.trail.t, x=way.trail.x, events_before=way.trail.events_before)
        return RunQuantities(None, "", f, (way.t, way.x, self._p()), initial=ready.initial, trajectory=way)

    def states(self, names: Sequence[str]) -> Array:
        """Several quantities at the time reached, one number each: for a feedback u = -K x.

        Parameters
        ----------
        names : sequence of str
            Such as those of a linearisation; one name gives an array of one number.

        Returns
        -------
        array
        """
        return np.array([self[name] for name in ((names,) if isinstance(names, str) else names)])

    @advised("inputs go by name, stepper.set({'torque': 1.0})")
    def set(self, values: Mapping[str, float]) -> None:
        """Give inputs, which hold from the time reached on.

        Parameters
        ----------
        values : mapping
            Numbers by the names of inputs; others stay as they are.

        Raises
        ------
        UnknownNameError, ModelError
            If there is no such input, or a value is not a finite number.
        """
        level = self._levels[-1].copy()
        for name, value in values.items():
            if name in self.formulation.model.inputs and name not in self.inputs:
                raise SolveError(f"input {name!r} was given a signal at the start: it cannot be set as well.")
            if name not in self.inputs:
                raise UnknownNameError(name, self.inputs, "input (declare it with m.input)")
            number = value.item() if isinstance(value, np.ndarray) and value.size == 1 else value  # as -K @ x gives it
            level[self.inputs.index(name)] = finite_number(number, f"input {name!r}")
        if np.array_equal(level, self._levels[-1]):
            return
        self._integration.workspace.change_parameters(self._places, level)
        if self._times[-1] == self.time:
            self._levels[-1] = level
        else:
            self._times.append(self.time)
            self._levels.append(level)

    @advised(
        "it takes the time to be reached, stepper.advance(stepper.time + 0.01)",
        **dict.fromkeys(("dt", "step", "duration"), "write stepper.advance(stepper.time + 0.01)"),
    )
    def advance(self, to: float) -> Outcome:
        """Integrate to a time, or until the run ends.

        Parameters
        ----------
        to : float
            In s, at most the end of the run.

        Returns
        -------
        Outcome
            FINISHED where the time was reached; anything else is the end of the run.

        Raises
        ------
        SolveError
            If the run has ended, or the time does not lie between that reached and the end.
        """
        if not self._can_advance:
            raise SolveError(
                f"the run has ended at {self.time:g} s ({self.outcome}): restore an earlier state, or make a new "
                f"stepper."
            )
        self.outcome = self._integration.advance(
            min(float(to), self.end) if to <= self.end * (1 + 1e-12) else float(to)
        )
        if self.outcome is ALARM:
            raise SolveError(
                f"a contact becomes invalid near t = {self.time:g} s: Run the same with simulate, whose outcome "
                f"gives the contact and the reason."
            )
        return self.outcome

    def save(self) -> SavedStep:
        """The current state, for `restore`.

        Returns
        -------
        SavedStep
        """
        return SavedStep(self._integration.save(), self.outcome, tuple(self._times), tuple(self._levels))

    def restore(self, saved: SavedStep) -> None:
        """Return to a saved state, for example to try other inputs.

        Parameters
        ----------
        saved : SavedStep
            Of this stepper.
        """
        self._integration.restore(saved.run)
        self.outcome, self._times, self._levels = saved.outcome, list(saved.times), list(saved.levels)

    def run(self) -> "Run":
        """The run up to the time reached, with the inputs as they were given.

        Returns
        -------
        Run

        Raises
        ------
        SolveError
            If it has not gone on from its start.
        """
        from trundle.run.ending import at_limit
        from trundle.run.run import Run

        if self.outcome is None:
            raise SolveError("the run has not advanced yet: call advance(to).")
        f, ready = self.formulation, self._ready
        tables = {**self._tables, **self._signals()}
        found = self._integration.workspace.trajectory(self.outcome)
        p = ready.case.p.copy()
        for one in (p, found.events.p, found.p_end):
            one[..., self._places] = 0.0
            f.parameters.put_tables(one, tables.values())
        limits, rtol = ready.options.limits, ready.options.tolerances.rtol
        found = audited(ready.problem, found, Tolerances(rtol, found.atol), limits.fixed is not None)
        found = within_half_turn(f, at_limit(f, found, found.p_end), start_angles(f, ready.initial))
        found = with_possible_parameters(f, found)
        return Run.of(f, found, p, ready.initial, ready.settings(f, found.atol), tables)

    def _signals(self) -> dict[str, Table]:
        """The inputs as they were set, over time."""
        knots = [*self._times, max(self.end, np.nextafter(self._times[-1], np.inf))]
        levels = np.array([*self._levels, self._levels[-1]])
        found = {}
        for i, name in enumerate(self.inputs):
            found[signal_name(name)] = Table(knots, levels[:, i], between="previous").signal
        return found

    def _p(self) -> Array:
        p: Array = self._integration.workspace.p[: len(self._ready.case.p)].copy()
        return p
