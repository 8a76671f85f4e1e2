"""Start states from what the user gives by name: the model's own values, those for this run, and the rest found."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from trundle.constraints.row import Role
from trundle.equations.absolute_state import absolute_state
from trundle.equations.carry_over import carried_over_numbers
from trundle.equations.formulation import Formulation
from trundle.errors import AssemblyError, ModelError, SolveError, UnknownNameError
from trundle.model.check import finite_number
from trundle.model.register import Register, is_changeable, is_start
from trundle.model.start_values import start_values
from trundle.quantities.initial_state import InitialState
from trundle.quantities.request import read_request, unit_quaternion
from trundle.quantities.state_layout import StateLayout
from trundle.study.cases import parameter_faults
from trundle.study.first_modes import at_contacts, first_modes
from trundle.study.large_angles import likely_degrees
from trundle.study.off_surface import OffSurface, check_on_surfaces
from trundle.study.start import StartConditions, StartSolver
from trundle.study.targets import Targets
from trundle.study.unlikely_numbers import unlikely_numbers
from trundle.typing import Array, State, Values

Parameters = Mapping[str, float] | None
STARTS = "coordinate, rate or motion of a body"
FAR, STRIDE = 1.0, 0.25  # rad from the usual pose, beyond which the way to a start is followed, and its steps
WALK, WALKS = 0.1, 300  # step (rad, or lengths of the model) of the way to a start pose, and most steps


def check_start_names(f: Formulation) -> None:
    """Start values of the model must fit its coordinates, rates and the motion of its bodies."""
    f.derivation.request(start_values(f.model))
    register = f.derivation.register()
    for short, full in f.model.aliases.items():
        if f.register.find(full) is None:
            register.get(full, what=f"quantity (short name {short!r})")
    for name in f.model.start:
        register.get(name, is_start, STARTS)


def check_event_names(f: Formulation) -> None:
    """What events of the model change must be parameters, states, coordinates or rates."""
    register = f.derivation.register()
    places = {*f.layout.changeable, *f.parameters.parameters}
    for event in f.model.events.values():
        for name in event.action if isinstance(event.action, Mapping) else ():
            if register.full(name) not in places:
                known = [*places, *register.short_names(is_changeable)]
                raise UnknownNameError(name, known, f"state or parameter (in event {event.name!r})")


def refuse_other_names(f: Formulation, names: Iterable[str]) -> None:
    """Refuse names that are no start values."""
    register = f.derivation.register()
    for name in names:
        if name in f.model.parameter_values() and register.find(name) is None:
            raise ModelError(f"{name!r} is a parameter, not a start value: give it as parameters={{{name!r}: ...}}.")
        register.get(name, is_start, STARTS)


def start_state(
    f: Formulation, start: Values | None = None, parameters: Parameters = None, t: float = 0.0,
    usual: Values | None = None, p: Array | None = None,
) -> InitialState:  # fmt: skip
    """A consistent state in joint coordinates from some given values; the others are solved for.

    usual: values that hold where `start` gives none, those of the model unless given. p: the vector that the parameters
    make, where they have been checked.
    """
    if start is not None and not isinstance(start, Mapping):
        raise ModelError(f"give start values by name, {{'body.coordinate': value}}, not as {type(start).__name__}.")
    register = f.derivation.register()
    refuse_other_names(f, start or {})
    p = f.parameter_vector(parameters) if p is None else p
    if usual is None:
        usual = start_values(f.model, p[f.parameters.parameter_slice])
    usual = f.resolved(usual)
    start = completed(register, f.resolved(start or {}), usual)
    found = _found(f, start, usual, p, t)
    hints = likely_degrees(register, {**usual, **start}) + f.once(_hints_of_model)
    return replace(found, hints=tuple(hints)) if hints else found


def _hints_of_model(f: Formulation) -> list[str]:
    return unlikely_numbers(f.model)


def completed(register: Register, start: Values, usual: Values) -> Values:
    """Start values for this run; one component of a vector whose usual value is known replaces that component of it."""
    found: State = {}
    replaced: dict[str, Array] = {}  # components of quaternions
    for name, value in start.items():
        part = register.find(name)
        whole = part.quantity.name if part is not None and part.component is not None else name
        if part is None or part.component is None or whole not in {**usual, **found} or name in usual:
            found[name] = value
            continue
        vector = np.array(found.get(whole, usual.get(whole)), dtype=float)
        vector[part.component] = finite_number(value, f"start value of {name!r}")
        found[whole] = vector
        if part.quantity.kind == "quaternion":
            replaced.setdefault(whole, np.zeros(4, bool))[part.component] = True
    return found | {name: unit_quaternion(found[name], given, name) for name, given in replaced.items()}


def _found(f: Formulation, start: Values, usual: Values, p: Array, t: float) -> InitialState:
    register = f.derivation.register()
    given, states = {**usual, **start}, f.layout.places
    soft = {name: 0.0 for name in f.derivation.deflections if name not in given}
    firm = {name: value for name, value in given.items() if name in start or name in states}
    requests = [{**soft, **given}, given, {**soft, **firm}, firm] if soft or start else [given]
    for request in {tuple(w): w for w in requests}.values():  # what is said for this run goes before all else
        try:
            found = _consistent(f, request, start, p, t)
        except AssemblyError:  # another request may do; the last line below reports what is wrong with what is given
            continue
        held = {**(start if start else given), **{name: 0.0 for name in soft if name in request}}
        moved = [register.find(name) for name in found.changed]
        if not any(part and (part.name in held or part.quantity.name in held) for part in moved):
            return _followed(f, request, start, p, t, found)
    try:
        return _consistent(f, given, start, p, t)
    except AssemblyError:
        places = {c.name for c in f.layout.coordinates}
        said = {n: v for n, v in given.items() if n in start or n not in places} if places & {*start} else given
        near = _walked(f, said, p, t)
        if near is None:
            raise
        return _consistent(f, said, start, p, t, near)


def refuse_fixed(f: Formulation) -> None:
    """SolveError for a system without degrees of freedom and without states."""
    if f.n_u == 0 and not f.states.own:
        raise SolveError("nothing can move: every body is fixed to the ground. reactions() gives the joint reactions.")


def refuse_relaxed(f: Formulation, what: str) -> None:
    """SolveError if an analysis needs ideal constraints."""
    if f.relaxed:
        raise SolveError(
            f"{what} needs ideal constraints without relaxation; {', '.join(map(repr, f.relaxed))} are not. "
            "Build the model without them, or simulate."
        )


def state_vector(f: Formulation, state: InitialState, p: Array, t: float = 0.0) -> Array:
    """State vector of the formalism, quadratures zero."""
    q, u = state.q, state.u
    if not f.in_joints:
        q, u = absolute_state(f.joint_functions.equations, f.states, q, u, p, t)
    return f.states.vector(q, u)


def check_rates(f: Formulation, t: float, x: Array, p: Array) -> None:
    """SolveError if the rate of a user-defined state is not a number."""
    if f.states.own:
        check_own_rates(f.states, np.array(f.kernels("base")["rhs"](t, x, p)))


def check_own_rates(layout: StateLayout, rates: Array) -> None:
    """The same for rates that are known."""
    for entry, rate in zip(layout.own, rates[layout.own_slice], strict=True):
        if not np.isfinite(rate):
            raise SolveError(
                f"the rate of state {entry.name!r} is not a number at the start: check it for a division by zero, "
                f"or a root or logarithm of a negative number, or start in another state."
            )


def changed_state(
    f: Formulation, t: float, x: Array, p: Array, changes: Mapping[str, float], keeps: str
) -> tuple[Array, Array]:
    """State and parameters with named values replaced; where that changes the velocity of a moving frame, `keeps` says
    which velocities of the bodies stay.
    """
    before, x, p = (x, p), x.copy(), p.copy()
    parameters = f.parameters.parameters
    places = f.states.changeable
    for name, value in f.resolved(changes).items():
        if name in places:
            x[places[name]] = finite_number(value, f"new value of {name!r}")
        elif name in parameters:
            p[f.parameters.parameter(name)] = finite_number(value, f"new value of {name!r}")
        elif name in f.layout.changeable:
            raise ModelError(f"an event changes {name!r}: that needs joint coordinates, build with formalism='kane'.")
        else:
            short = f.derivation.register().short_names(is_changeable)
            raise UnknownNameError(name, [*places, *parameters, *short], "state or parameter")
    given = f.parameters.parameter_slice
    faults = parameter_faults(f, p[None]) if np.any(p[given] != before[1][given]) else {}
    if faults:
        raise ModelError(f"an event assigns invalid parameters at t = {t:.6g} s: {faults[0]}")
    if keeps == "absolute" and f.model.frames and f.in_joints:
        speeds = [i - f.states.u.start for i in map(places.get, f.resolved(changes)) if i is not None]
        x[f.states.u] = carried_over_numbers(f.functions, t, before, (x, p), [i for i in speeds if i >= 0])
    moved = np.any(x[: f.states.u.stop] != before[0][: f.states.u.stop])
    return x, _modes_after(f, t, x, p) if moved and f.parameters.modes else p


def _modes_after(f: Formulation, t: float, x: Array, p: Array) -> Array:
    """Parameters with the modes of contacts after something has been moved during a run."""
    try:
        found = first_modes(f, t, x, p)
    except SolveError as error:
        raise SolveError(f"after on_event has moved something at t = {t:.6g} s: {error}") from None
    found[f.parameters.size_slice] = p[f.parameters.size_slice]
    return found


def turn_places(f: Formulation) -> tuple[int, ...]:
    """Places of the angles among the coordinates, where contacts close loops: bodies that touch in several points may
    do so upside down too, so that the pose nearest to a start that is turned far need not be the one that is meant.
    """
    rows = f.row_functions.equations.rows if f.has_rows and f.row_functions is not None else []
    if not any(row.role is Role.NORMAL for row in rows):
        return ()
    return tuple(c.i_q for c in f.layout.coordinates if c.n_q == 1 and c.unit == "rad")


def _followed(f: Formulation, request: Values, start: Values, p: Array, t: float, found: InitialState) -> InitialState:
    """The start that is found or, where angles are given that are far from the usual ones, the one that is reached by
    turning there.
    """
    usual, places = f.mobility.q, {c.name: c.i_q for c in f.layout.coordinates if c.n_q == 1}
    turned = [i for i in (places.get(name) for name in request) if i in f.once(turn_places)]
    if not any(abs(found.q[i] - usual[i]) > FAR for i in turned):
        return found
    try:
        near = _walked(f, request, p, t, STRIDE)
        again = found if near is None else _consistent(f, request, start, p, t, near)
    except AssemblyError:
        return found
    other = np.max(np.abs(again.q - found.q)) > 1e-6 and not again.changed
    return again if other else found


def _walked(f: Formulation, given: Values, p: Array, t: float, step: float = WALK) -> Array | None:
    """The pose that is reached when the given coordinates go from their usual values to those wanted, in steps so
    small that contacts are followed; None if the way is barred, OffSurface where it leads off a surface.
    """
    if not f.has_rows:
        return None
    q = np.array(f.mobility.q)
    places = {c.name: c.i_q for c in f.layout.coordinates if c.n_q == 1}
    wanted = {n: finite_number(v, f"start value of {n!r}") for n, v in given.items() if n in places}
    first = {name: float(q[places[name]]) for name in wanted}
    units = {c.name: f.length if c.unit == "m" else 1.0 for c in f.layout.coordinates}
    way = max((abs(wanted[n] - first[n]) / units[n] for n in wanted), default=0.0)
    count = int(min(way / step, WALKS)) + 1
    if count < 2:
        return None
    for part in np.arange(1, count) / count:
        at = {n: first[n] + part * (wanted[n] - first[n]) for n in wanted}
        try:
            found = _consistent(f, at, {}, p, t, q)
        except OffSurface:
            raise
        except AssemblyError:
            return None
        if any(n in found.changed for n in wanted):
            return None
        q = found.q
    return q


def _consistent(
    f: Formulation, given: Values, start: Values, p: Array, t: float, default: Array | None = None
) -> InitialState:
    """A consistent state near the given values; of these, those of `start` move last."""
    try:
        return _solve(f, given, start, p, t, default_pose(f, t) if default is None else default)
    except np.linalg.LinAlgError as error:
        raise AssemblyError(
            f"the start values {', '.join(map(repr, given)) or '(all defaults)'} lead to a pose in which the "
            f"constraints cannot be solved numerically ({error}). Start in another pose, or give more coordinates."
        ) from error


def _solve(f: Formulation, given: Values, start: Values, p: Array, t: float, default: Array) -> InitialState:
    states = f.layout.places
    extra = {name: value for name, value in given.items() if name not in states}
    request = read_request(f.layout, default, {name: value for name, value in given.items() if name in states})
    firm = None
    if start:
        firm = read_request(f.layout, default, {name: value for name, value in start.items() if name in states})
    rows = f.row_functions if f.has_rows else None
    targets = known_targets(f, tuple(extra)).aim(extra) if extra else None
    found = StartSolver(f.layout, StartConditions(rows, targets, f.mobility), request, firm, t, p).solve()
    if f.layout.followers:
        q = f.contact_search(t, found.q, p)  # contacts that hold nothing have their closest points there
        f.contact_search.check(t, q, p)
        found = replace(found, q=q)
    check_on_surfaces(f, found.q, t, p)
    return found


def _kept_targets(f: Formulation) -> dict[tuple[str, ...], Targets]:
    """Cache, by the names of start values that are not states."""
    return {}


def known_targets(f: Formulation, names: tuple[str, ...]) -> Targets:
    """Conditions on quantities that are not states, made on first use."""
    known = f.once(_kept_targets)
    if names not in known:
        rows = f.row_functions if f.has_rows else None
        equations = rows.equations if rows is not None else f.joint_functions.equations
        register = f.derivation.register()
        wanted = [register.get(name, is_start, STARTS) for name in names]
        known[names] = Targets(equations, rows, wanted, (f.length, f.derivation.reach), f.contact_search)
    return known[names]


def default_pose(f: Formulation, t: float) -> Array:
    """The assembled pose, or zero coordinates; bodies on which a loose contact is singular there stand where it
    touches when all its coordinates are zero.
    """
    q = np.array(f.mobility.q) if f.has_rows else f.derivation.request({}).q
    if not f.layout.followers or not f.contact_search.singular(t, q, f.default_parameters):
        return q
    return at_contacts(f.model, f.topology, f.layout, q)
