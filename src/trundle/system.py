"""A built model and the questions an engineer asks of it."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, final

import numpy as np

from trundle.equations.relaxation import weight_faults
from trundle.errors import AssemblyError, InertiaWarning, ModelError, SolveError, UnknownNameError
from trundle.graph.describe import describe
from trundle.graph.floating import floating
from trundle.graph.topology import find_topology
from trundle.model.check import check, finite_number, massless, measured_inertias
from trundle.model.fingerprint import function_faults
from trundle.model.freeze import frozen
from trundle.model.model import Model
from trundle.prepared import Prepared

if TYPE_CHECKING:
    from trundle.graph.bonds import BondGraph
    from trundle.run.batch import BatchRun
    from trundle.run.dataset import Run
    from trundle.run.trace import Trace
    from trundle.solve.initial import InitialState
    from trundle.solve.linearise import Linearisation

Array = np.ndarray[Any, np.dtype[np.float64]]
WALK, WALKS = 0.1, 300  # step (rad, or lengths of the model) of the way to a start pose, and most steps
FORMALISMS = ("kane", "newton_euler", "udwadia_kalaba")


def build(model: Model, formalism: str | None = None, relax: Mapping[str, Any] | None = None) -> "System":
    """Check the model, choose its tree and make it ready; raises ModelError with all faults.

    formalism: "kane" unless given, or "udwadia_kalaba" where constraints are relaxed.
    relax: weights between 0 and 1 by the names of constraint rows ("connection.bond"), numbers or functions of the
    signals, for "udwadia_kalaba".
    """
    if formalism is None:
        formalism = "udwadia_kalaba" if relax or model.relaxed() else "kane"
    if formalism not in FORMALISMS:
        raise ModelError(f"formalism {formalism!r} is not known; choose {' or '.join(map(repr, FORMALISMS))}.")
    faults = check(model)
    if faults:
        told = {fault.partition(":")[0] for fault in faults}
        raise ModelError([*faults, *(f for f in function_faults(model) if f.partition(":")[0] not in told)])
    for words in measured_inertias(model):
        warnings.warn(words, InertiaWarning, stacklevel=3)
    model = floating(model)
    faults = weight_faults(model, {**model.relaxations, **(relax or {})})
    if faults:
        raise ModelError(faults)
    try:
        model = frozen(model, relax)
    except ModelError as error:
        raise ModelError(function_faults(model) or error.faults) from None
    return _system_of(model, formalism)


def _system_of(model: Model, formalism: str) -> "System":
    return _ready(System(model, find_topology(model, massless(model)), formalism))


def _ready(system: "System") -> "System":
    if system.relaxed and system.formalism != "udwadia_kalaba":
        raise ModelError(
            f"the weights of {', '.join(map(repr, system.relaxed))} relax constraints: that needs the "
            f"pseudo-inverse, formalism='udwadia_kalaba', not {system.formalism!r}."
        )
    system.check_start_names()
    system.kernels("base")
    return system


@final
class System(Prepared):
    """Ready to run. Everything that is derived is derived once, when it is first needed, from a frozen copy of the
    model as it was when it was built.
    """

    def __reduce__(self) -> tuple[Any, ...]:
        return _system_of, (self.model, self.formalism)  # the kernels come from the cache

    def __copy__(self) -> "System":
        twin = object.__new__(System)
        twin.__dict__.update(vars(self))
        return twin

    def __deepcopy__(self, memo: Any) -> "System":
        return self  # nothing of it can be changed

    # -- states --------------------------------------------------------------------------------------------------------

    def check_start_names(self) -> None:
        """Start values of the model must fit its coordinates, rates and the motion of its bodies."""
        self._default_wish(self.model.start)
        found = self.quantities.values()
        measured = [q for q in found if q.group in ("joints", "contacts") or q.group.startswith("body ")]
        known = self.layout.state_names() | {
            n for q in measured for n in (q.name, *(f"{q.name}_{k}" for k in q.labels))
        }
        for short, full in self.model.aliases.items():
            stem = full[:-2] if full[-2:] in ("_w", "_x", "_y", "_z") and full not in self.quantities else full
            if stem not in self.quantities and full not in known:
                raise UnknownNameError(full, sorted(known), f"quantity (short name {short!r})")
        for name in self.resolved(self.model.start):
            if name not in known:
                raise UnknownNameError(name, sorted(known), "coordinate, rate or motion of a body")

    def start(
        self, start: Mapping[str, Any] | None = None, parameters: Mapping[str, float] | None = None, t: float = 0.0
    ) -> "InitialState":
        """A consistent state in joint coordinates from named values; what is not given is found."""
        if start is not None and not isinstance(start, Mapping):
            raise ModelError(f"start values go by name, {{'body.coordinate': value}}, not as {type(start).__name__}.")
        start, usual = self.resolved(start or {}), self.resolved(self.model.start)
        given, states = {**usual, **start}, self.layout.state_names()
        soft = {name: 0.0 for name in self.deflections if name not in given}
        firm = {name: value for name, value in given.items() if name in start or name in states}
        wishes = [{**soft, **given}, given, {**soft, **firm}, firm] if soft or start else [given]
        for wish in {tuple(w): w for w in wishes}.values():  # what is said for this run goes before all else
            try:
                found = self._consistent(wish, start, parameters, t)
            except AssemblyError:  # another wish may do; the last line below tells what is wrong with all that is given
                continue
            held = (start if start else given) | {name: 0.0 for name in soft if name in wish}
            if not any(name.rstrip("wxyz").rstrip("_") in held or name in held for name in found.changed):
                return found
        try:
            return self._consistent(given, start, parameters, t)
        except AssemblyError:
            places = {c.name for c in self.layout.coordinates}
            said = {n: v for n, v in given.items() if n in start or n not in places} if places & {*start} else given
            near = self._walked(said, parameters, t)
            if near is None:
                raise
            return self._consistent(said, start, parameters, t, near)

    def _walked(self, given: Mapping[str, Any], parameters: Mapping[str, float] | None, t: float) -> Array | None:
        """The pose that is reached when the given coordinates go from their usual values to those wanted, in steps so
        small that contacts are followed; None where the way is barred.
        """
        if not self.has_rows:
            return None
        q = np.array(self.mobility.q)
        places = {c.name: c.i_q for c in self.layout.coordinates if c.n_q == 1}
        wanted = {n: finite_number(v, f"start value of {n!r}") for n, v in given.items() if n in places}
        first = {name: float(q[places[name]]) for name in wanted}
        units = {c.name: self.length if c.unit == "m" else 1.0 for c in self.layout.coordinates}
        way = max((abs(wanted[n] - first[n]) / units[n] for n in wanted), default=0.0)
        count = int(min(way / WALK, WALKS)) + 1
        if count < 2:
            return None
        for part in np.arange(1, count) / count:
            try:
                q = self._consistent(
                    {n: first[n] + part * (wanted[n] - first[n]) for n in wanted}, {}, parameters, t, q
                ).q
            except AssemblyError:
                return None
        return q

    def _consistent(
        self,
        given: Mapping[str, Any],
        start: Mapping[str, Any],
        parameters: Mapping[str, float] | None,
        t: float,
        default: Array | None = None,
    ) -> "InitialState":
        """A consistent state near the given values; of these, those of `start` move last."""
        try:
            return self._solve_start(given, start, parameters, t, default)
        except np.linalg.LinAlgError as error:
            raise AssemblyError(
                f"the start values {', '.join(map(repr, given)) or '(all defaults)'} lead to a pose in which the "
                f"constraints have no solution in numbers ({error}). Start in another pose, or give more coordinates."
            ) from error

    def _solve_start(
        self,
        given: Mapping[str, Any],
        start: Mapping[str, Any],
        parameters: Mapping[str, float] | None,
        t: float,
        default: Array | None,
    ) -> "InitialState":
        from trundle.solve.initial import consistent, read_wish

        default, p = self._default_pose() if default is None else default, self.parameter_vector(parameters)
        states = self.layout.state_names()
        extra = {name: value for name, value in given.items() if name not in states}
        wish = read_wish(self.layout, default, {name: value for name, value in given.items() if name in states})
        firm = None
        if start:
            firm = read_wish(self.layout, default, {name: value for name, value in start.items() if name in states})
        rows = self.row_functions if self.has_rows else None
        targets = None
        if extra:
            from trundle.solve.targets import Targets

            kept: dict[tuple[str, ...], Targets] = self._targets
            if tuple(extra) not in kept:
                equations = rows.equations if rows is not None else self.joint_functions.equations
                units = {name: self._unit(name) for name in extra}
                kept[tuple(extra)] = Targets(equations, rows, units, self.length, self.settler)
            targets = kept[tuple(extra)].aim(extra)
        names_q = [n for c in self.layout.coordinates for n in ([c.name] if c.n_q == 1 else [c.name] * 4)]
        found = consistent(
            self.layout,
            wish,
            rows,
            p,
            t,
            self.mobility.kept,
            names_q,
            self.layout.speed_names(),
            targets,
            firm,
            self.mobility.independent,
            np.array(self.mobility.generic) if rows is not None and self.mobility.generic else None,
        )
        if not self.layout.followers:
            return found
        q = self.settler(found.q, p)  # contacts that hold nothing have their closest points in the pose that is found
        self.settler.check(q, p)
        return replace(found, q=q)

    def _unit(self, name: str) -> str:
        """Unit of a quantity or of a component of one; empty where there is none of this name."""
        for known in (name, name[:-2]):
            try:
                return self.quantity(known).unit
            except UnknownNameError:
                continue
        return ""

    def state_vector(self, state: "InitialState", p: Array, t: float = 0.0) -> Array:
        """State vector of the formalism, quadratures zero."""
        q, u = state.q, state.u
        if not self.in_joints:
            from trundle.equations.newton_euler import absolute_state

            q, u = absolute_state(self.joint_functions.equations, q, u, p, t)
        return np.concatenate([q, u, np.zeros(self.n_x - len(q) - len(u))])

    def evaluate_state(self, x: Array) -> dict[str, Array]:
        """Coordinates and rates of the tree at states x (times, n_x); joint coordinates only."""
        return self._state_quantities(x) if self.in_joints else {}

    def changed_state(self, x: Array, p: Array, changes: Mapping[str, float]) -> tuple[Array, Array]:
        """State and parameters with named values replaced."""
        x, p = x.copy(), p.copy()
        parameters = list(self.model.parameters)
        if not self.in_joints and any(name not in parameters for name in changes):
            raise ModelError("an event that changes the state needs joint coordinates: build with formalism='kane'.")
        places = {c.name: c.i_q for c in self.layout.coordinates if c.n_q == 1}
        places |= {c.rate_name: self.n_q + c.i_u for c in self.layout.coordinates if c.n_u == 1}
        for name, value in self.resolved(changes).items():
            if name in places:
                x[places[name]] = finite_number(value, f"new value of {name!r}")
            elif name in parameters:
                p[parameters.index(name)] = finite_number(value, f"new value of {name!r}")
            else:
                raise UnknownNameError(name, [*places, *parameters], "state or parameter")
        return x, p

    # -- answers -------------------------------------------------------------------------------------------------------

    def describe(self) -> str:
        """The story of the model in words."""
        return describe(self.model, self.topology, self.layout, self.mobility)

    @cached_property
    def graph(self) -> "BondGraph":
        """The multibond graph of the model: junctions, seals, causality."""
        from trundle.graph.bonds import build_graph

        return build_graph(self)

    def in_formalism(self, formalism: str) -> "System":
        """The same model in another formalism, built once."""
        if formalism not in FORMALISMS:
            raise ModelError(f"formalism {formalism!r} is not known; choose {' or '.join(map(repr, FORMALISMS))}.")
        if formalism not in self._siblings:
            self._siblings[formalism] = _ready(System(self.model, self.topology, formalism))
            self._siblings[formalism]._siblings = self._siblings
        return self._siblings[formalism]

    @cached_property
    def _siblings(self) -> dict[str, "System"]:
        return {self.formalism: self}

    @property
    def relaxed(self) -> list[str]:
        """Rows and contacts that weights relax."""
        return list(dict.fromkeys([*self.relaxations, *self.model.relaxed()]))

    def _refuse_relaxed(self, what: str) -> None:
        if self.relaxed:
            raise SolveError(
                f"{what} needs constraints that are held in full; the weights of "
                f"{', '.join(map(repr, self.relaxed))} relax some. Build the model without them, or simulate."
            )

    def refuse_fixed(self) -> None:
        """A system without freedoms does not run."""
        if self.n_u == 0:
            raise SolveError(
                "nothing can move: every body is fixed to the ground. reactions() tells what the joints carry."
            )

    def simulate(
        self,
        duration: float,
        start: Mapping[str, Any] | None = None,
        parameters: Mapping[str, float] | None = None,
        *,
        formalism: str | None = None,
        method: Any = "auto",
        rtol: float = 1e-10,
        atol: float | Mapping[str, float] | None = None,
        samples: int | Sequence[float] | str | None = None,
        fixed_step: float | None = None,
        max_step: float = np.inf,
        progress: bool | None = None,
        on_event: Callable[[str, float, dict[str, Any]], Mapping[str, float] | None] | None = None,
        t0: float = 0.0,
        max_steps: int = 10_000_000,
        max_events: int = 1_000_000,
    ) -> "Run":
        """Integrate from a consistent start over `duration` seconds.

        samples: number of equally spaced times (default 501), times, or "steps" for every step of the integrator.
        method: "auto" (order 8 below a tolerance of 1e-7, else 5), "stiff", or a method object.
        atol: absolute tolerance, one number or by units and names of states, {"m": 1e-12, "bob.angle": 1e-9}. Unless
        given it is 1e-10 (rtol, if that is less) of the largest displacement, angle or rate that the run has met, at
        most of a typical length of the model or of 1 rad; `settings["atol"]` of the run tells what it came to.
        formalism: another one than that of the build; the system in it is made once and kept.
        """
        from trundle.solve.simulate import simulate

        system = self if formalism is None else self.in_formalism(formalism)
        self.refuse_fixed()
        return simulate(
            system, duration, start, parameters, method=method, rtol=rtol, atol=atol, samples=samples,
            fixed_step=fixed_step,
            max_step=max_step, progress=progress, on_event=on_event, t0=t0, max_steps=max_steps,
            max_events=max_events,
        )  # fmt: skip

    def batch(
        self,
        duration: float,
        start: Mapping[str, Any] | None = None,
        parameters: Mapping[str, Any] | None = None,
        *,
        rtol: float = 1e-8,
        atol: float | Mapping[str, float] | None = None,
        samples: int | Sequence[float] | None = None,
        threads: int | None = None,
        method: Any = "auto",
    ) -> "BatchRun":
        """Many runs: start values and parameters may be arrays of one common length.

        They go through SIMD lanes on all threads. Models with events, or with contacts that stick, slide or open, run
        one by one in the loop of `simulate`, on all threads too; `settings["way"]` of the result tells which.
        A case that `simulate` would refuse is told by its index, in `messages` and by a warning; the others run.
        """
        from trundle.solve.batch import run_batch

        return run_batch(
            self,
            duration,
            start or {},
            parameters or {},
            rtol=rtol,
            atol=atol,
            samples=samples,
            threads=threads,
            method=method,
        )

    def accelerations(
        self, state: Mapping[str, Any] | None = None, parameters: Mapping[str, float] | None = None, t: float = 0.0
    ) -> dict[str, Any]:
        """All accelerations and reactions at a state given by coordinates and independent speeds, by name."""
        groups = ("accelerations", "reactions") if self.in_joints else ("reactions",)
        return self._ask(groups, state, parameters, t)

    def reactions(
        self, state: Mapping[str, Any] | None = None, parameters: Mapping[str, float] | None = None, t: float = 0.0,
        on: str = "second", axes: str = "ground",
    ) -> dict[str, Array]:  # fmt: skip
        """Reaction force and moment of every connection at a state: on the first or second body, in axes of the
        ground or of any body.
        """
        if on not in ("first", "second"):
            raise SolveError(f"on={on!r}: reactions act on the 'first' or on the 'second' body of a connection.")
        if axes not in self.model.bodies:
            raise UnknownNameError(axes, self.model.bodies, "body to take the axes of")
        values = self._ask(("reactions",), state, parameters, t)
        R = np.eye(3)
        if axes != "ground":
            R = self._ask((f"body {axes}",), state, parameters, t)[f"{axes}.rotation"].reshape(3, 3).T
        sign = 1.0 if on == "second" else -1.0
        return {k: sign * (R.T @ v) for k, v in values.items() if ".reaction_" in k}

    def _ask(
        self, groups: Sequence[str], state: Mapping[str, Any] | None, parameters: Mapping[str, float] | None, t: float
    ) -> dict[str, Any]:
        p = self.parameter_vector(parameters)
        x = self.state_vector(self.start(state, parameters, t), p, t)[None, :]
        p = self.first_modes(t, x[0], p)
        out: dict[str, Any] = {}
        for group in groups:
            names = self._group_names(group)
            if names:
                values = self.evaluate(names[0], np.array([t]), x, p)
                out.update({k: float(v[0, 0]) if v.shape[1] == 1 else v[0] for k, v in values.items()})
        if not all(np.all(np.isfinite(v)) for v in out.values()):
            self._refuse_undefined(t, x[0], p)
        return out

    def _refuse_undefined(self, t: float, x: Array, p: Array) -> None:
        """Raise SolveError where a law or force is not finite at a state."""
        from trundle.run.ending import culprit_laws, points_that_meet

        culprits = culprit_laws(self, t, x, p, (0.0,))
        if culprits:
            raise SolveError(f"not finite at this state: {', '.join(culprits)}.{points_that_meet(self, culprits)}")

    def equilibrium(
        self,
        start: Mapping[str, Any] | None = None,
        parameters: Mapping[str, float] | None = None,
        t: float = 0.0,
        stable: bool = True,
    ) -> dict[str, Any]:
        """Coordinates of a static equilibrium near the given pose, by name: one in which the system can stay at rest.

        It is checked with what the contacts do there, and that no small motion about it grows; stable=False takes the
        nearest one that Newton's method finds, be it stable or not.
        """
        from trundle.solve.rest import Rest

        self._refuse_relaxed("an equilibrium")
        q = Rest(self.by_kane, t, self.parameter_vector(parameters)).find(self.start(start, parameters, t).q, stable)
        pose = {c.name: float(q[c.i_q]) if c.n_q == 1 else q[c.i_q : c.i_q + 4] for c in self.layout.coordinates}
        return pose | {name: float(q[i]) for name, i in self.layout.bristle_places.items()}

    def trace(
        self,
        coordinate: str,
        to: float | Sequence[float],
        start: Mapping[str, Any] | None = None,
        parameters: Mapping[str, float] | None = None,
        *,
        hold: Mapping[str, Any] | Sequence[str] = (),
        step: float | None = None,
        through_folds: bool = False,
        double_contacts: bool = True,
        limit: int = 20_000,
    ) -> "Trace":
        """Poses of the mechanism while a coordinate is driven from its start over the values `to`, without time.

        hold: other independent coordinates, with values or as names (at their start values). step: largest step along
        the curve (rad, or typical lengths; default 0.1). through_folds=True goes on where the coordinate turns back.
        """
        from trundle.solve.trace import trace

        return trace(
            self, coordinate, to, start, parameters, hold=hold, step=step, through_folds=through_folds,
            double_contacts=double_contacts, limit=limit,
        )  # fmt: skip

    def linearise(
        self, state: Mapping[str, Any] | None = None, parameters: Mapping[str, float] | None = None, t: float = 0.0
    ) -> "Linearisation":
        """State matrix on the constraint manifold about a state, with eigenvalues and modes."""
        from trundle.solve.linearise import linearise

        self._refuse_relaxed("a linearisation")
        p = self.parameter_vector(parameters)
        at = self.start(state, parameters, t)
        x = np.concatenate([at.q, at.u])
        moving = self.by_kane
        if self.model.mode_names():
            p = self.first_modes(t, self.state_vector(at, p, t), p)
            modes = dict(zip(self.model.mode_names(), p[len(self.model.parameters) :], strict=False))
            loose = [name for name, value in modes.items() if name.endswith((".stick", ".closed")) and value != 1]
            if loose:
                raise SolveError(
                    f"contact {loose[0].rpartition('.')[0]!r} slides or is open at this state: small motions about it "
                    "are not linear. Give a state in which contacts stick, or a smooth law."
                )
        return linearise(moving.functions, self.layout, t, x, p)
