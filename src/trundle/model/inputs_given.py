"""Inputs of a run: numbers, or signals of time in various forms."""

from collections.abc import Mapping, Sequence
from numbers import Real

import casadi as ca
import numpy as np

from trundle.errors import ModelError, UnknownNameError
from trundle.lookup.signal import sampled
from trundle.lookup.table import Table
from trundle.lookup.units import unit_of_argument, unlike
from trundle.messages.warn import users_function, users_line
from trundle.model.input import signal_name
from trundle.model.model import Model
from trundle.model.table import with_tables
from trundle.typing import Given, State, Values

CHOICES = (
    "give a number, tr.Table(t, values, between='linear') ('previous' holds each value until the next), a function of "
    "time, or an xarray.DataArray over 'time'"
)


def with_inputs(
    model: Model, parameters: Values | None, tables: Values | None,
    inputs: Values | None, span: tuple[Given, Given], several: bool = False,
) -> Values | None:  # fmt: skip
    """Parameters, tables and inputs that are given to a run over a span of time (s), together by name; of several runs
    inputs may be lists with one for each.
    """
    given = with_tables(model.tables, parameters, tables)
    if not inputs:
        return given
    if not isinstance(inputs, Mapping):
        raise ModelError(f"give inputs by name, {{'name': signal}}, not as {type(inputs).__name__}.")
    found: State = {}
    breaks = _breaks(model, given or {}) if any(map(callable, inputs.values())) or several else []
    for name, value in inputs.items():
        if name not in model.inputs:
            if name in model.parameters:
                raise ModelError(f"{name!r} is a parameter, not an input: give it among the parameters.")
            raise UnknownNameError(name, model.inputs, "input (declare it with m.input)")
        if given and (name in given or signal_name(name) in given):
            raise ModelError(f"input {name!r} is given twice, among the inputs and among the parameters or tables.")
        listed = several and isinstance(value, Sequence | np.ndarray) and not isinstance(value, str)
        for one in value if listed else [value]:
            _check_units(name, one, model.inputs[name].level.unit)
        found[name] = [signal(name, v, span, breaks) for v in value] if listed else signal(name, value, span, breaks)
        if listed and not any(isinstance(one, Table) for one in found[name]):
            found[name] = np.array(found[name], dtype=float)
    return {**(given or {}), **found}


def _check_units(name: str, value: Given, unit: str) -> None:
    """Refuse a signal in other units than those of the input and of time."""
    if isinstance(value, Table):
        given, time = value.unit, unit_of_argument(value.arguments[0]) if value.arguments else ""
    elif hasattr(value, "dims") and hasattr(value, "coords"):
        given = str(value.attrs.get("units", ""))
        time = str(value.coords["time"].attrs.get("units", "")) if "time" in value.coords else ""
    else:
        return
    for what, has, wanted in ((f"input {name!r}", given, unit), (f"the time of input {name!r}", time, "s")):
        if unlike(has, wanted):
            raise ModelError(f"{what} is given in {has!r}, but the model has it in {wanted!r}: convert the numbers.")


def _breaks(model: Model, given: Values) -> list[float]:
    """Times of `m.break_at` with the given parameters, of all cases together."""
    if not model.breaks:
        return []
    own = {name: np.ravel(given.get(name, p.value)) for name, p in model.parameters.items()}
    count = max((len(values) for values in own.values()), default=1)
    try:
        table = np.array([np.broadcast_to(values, count) for values in own.values()], dtype=float).reshape(-1, count)
    except (TypeError, ValueError):  # refused by name when the parameters themselves are checked
        return []
    symbols = ca.vertcat(ca.SX(0, 1), *[p.symbol for p in model.parameters.values()])
    times = ca.Function("breaks", [symbols], [ca.densify(ca.vertcat(*model.breaks))])(table).full()
    return [float(t) for t in np.unique(times) if np.isfinite(t)]


def signal(name: str, value: Given, span: tuple[Given, Given], breaks: Sequence[float] = ()) -> float | Table:
    """The value of an input as a number or a table of time; a function of time is sampled closely at breaks."""
    try:
        if isinstance(value, Real | np.number) or (isinstance(value, np.ndarray) and value.ndim == 0):
            return float(value)
        if isinstance(value, Table):
            _ = value.signal  # which refuses what is not one
            return value
        if hasattr(value, "dims") and hasattr(value, "coords"):
            return _of_array(value)
        if callable(value):
            t0, t1 = _span(span)
            return sampled(value, t0, t1, breaks)
    except ModelError as error:
        place = users_line(error) or users_function(value)
        raise ModelError(f"input {name!r}: {error}{f' ({place})' if place else ''}") from None
    listed = isinstance(value, Sequence | np.ndarray) and not isinstance(value, str)
    what = f"{len(value)} numbers without times" if listed else repr(value)
    raise ModelError(f"input {name!r} cannot be {what}; {CHOICES}.")


def _span(span: tuple[Given, Given]) -> tuple[float, float]:
    start, length = (float(v) if isinstance(v, Real) else np.nan for v in span)
    if not (np.isfinite(start) and np.isfinite(length) and length > 0):
        raise ModelError(f"a function of time needs a run of finite length, not {span[1]!r} s from {span[0]!r} s.")
    return start, start + length


def _of_array(array: Given) -> Table:
    if tuple(array.dims) != ("time",):
        raise ModelError(f"an array over 'time' alone is a signal; this one has the dimensions {tuple(array.dims)}.")
    if np.asarray(array["time"].values).dtype.kind in "mM":
        raise ModelError("its times are dates: give seconds from the start of the run.")
    if not np.all(np.isfinite(np.asarray(array.values, dtype=float))):
        raise ModelError("it has missing values (nan): fill or remove them, array.dropna('time').")
    return Table.from_xarray(array, between="linear")


def split_signals(model: Model, given: Values) -> Values:
    """Values by name in which the signals of inputs stand where the tables that hold them do, above a level of 0."""
    if not isinstance(given, Mapping):
        return given
    found = dict(given)
    for name, own in model.inputs.items():
        value = given.get(name)
        if isinstance(value, Table):
            found |= {name: 0.0, signal_name(name): value.signal}
        elif isinstance(value, list | tuple) and any(isinstance(one, Table) for one in value):  # one for each case
            none = own.signal.table
            found[name] = [0.0 if isinstance(one, Table) else one for one in value]
            found[signal_name(name)] = [one.signal if isinstance(one, Table) else none for one in value]
    return found
