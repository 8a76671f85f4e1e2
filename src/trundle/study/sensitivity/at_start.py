"""How the start of a run changes with parameters and start values.

A start is the result of an assembly from given values: its derivatives are those of the results nearby, with
differences whose error Richardson's extrapolation takes away up to the fourth power of their width.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np

from trundle.equations.formulation import Formulation
from trundle.errors import ModelError, SolveError, UnknownNameError
from trundle.model.register import is_start
from trundle.model.start_values import start_values
from trundle.study.start_state import start_state, state_vector
from trundle.typing import Array, State, Values

WIDTH, ONE_SIDED = 1e-3, 1e-5  # of the size of a value


@final
@dataclass(frozen=True, eq=False)
class Variable:
    """A parameter or start value that may change: its name, value, size and unit; place in p of a parameter, or the
    full name under which a start value is given and its place there, if that is a vector.
    """

    name: str
    value: float
    size: float
    unit: str
    place: int = -1
    given: str = ""
    component: int | None = None

    @property
    def is_parameter(self) -> bool:
        return self.place >= 0


@final
@dataclass(frozen=True, eq=False)
class StartOf:
    """The start of a run, for parameters and start values given by name, at a time (s)."""

    formulation: Formulation
    start: Values | None
    parameters: Values | None
    t: float

    def variables(self, names: Sequence[str]) -> tuple[Variable, ...]:
        """Parameters and start values by name; each must be one number."""
        return tuple(self._variable(name) for name in names)

    def _variable(self, name: str) -> Variable:
        f = self.formulation
        if name in f.parameters.parameters:
            place = f.parameters.parameter(name)
            value = float(f.parameter_vector(self.parameters)[place])
            return Variable(name, value, abs(value) or 1.0, f.model.parameters[name].unit, place)
        register = f.derivation.register()
        part = register.find(name)
        if part is None or not is_start(part.quantity):
            known = [*f.parameters.parameters, *(q.name for q in register if is_start(q))]
            raise UnknownNameError(name, known, "parameter or start value")
        given, component = register.full(name), None
        if given not in self._values and part.component is not None and part.quantity.name in self._values:
            given, component = part.quantity.name, part.component
        value = self._value(name, given) if component is None else float(self._values[given][component])
        unit = part.quantity.unit
        usual = f.length if unit in ("m", "m/s") and np.isfinite(f.length) else 1.0
        return Variable(name, value, max(abs(value), usual), unit, given=given, component=component)

    @cached_property
    def _values(self) -> State:
        """Start values that hold, by full names."""
        f = self.formulation
        values = start_values(f.model, f.parameter_vector(self.parameters)[f.parameters.parameter_slice])
        return {**f.resolved(values), **f.resolved(self.start or {})}

    def _value(self, name: str, full: str) -> float:
        f = self.formulation
        value = self._values.get(full)
        if value is None and full in f.layout.changeable:
            initial = start_state(f, self.start, self.parameters, self.t)
            value = np.concatenate([initial.q, initial.u])[f.layout.changeable[full]]
        if value is None:
            raise SolveError(f"{name!r} has no start value to change: give it one in start or model.start.")
        if np.ndim(value) != 0:
            raise SolveError(f"{name!r} is a vector: ask for its components, such as {name + '_x'!r}.")
        return float(value)

    def changed(self, variables: Sequence[Variable], by: Array) -> tuple[State, State]:
        """Start values and parameters with the variables moved by so much."""
        start, parameters = self.formulation.resolved(self.start or {}), dict(self.parameters or {})
        for variable, step in zip(variables, by, strict=True):
            value = variable.value + step
            if variable.is_parameter:
                parameters[variable.name] = value
            elif variable.component is None:
                start[variable.given] = value
            else:
                vector = np.array(start.get(variable.given, self._values[variable.given]), float)
                vector[variable.component] = value
                start[variable.given] = vector
        return start, parameters

    def derivative(self, variables: Sequence[Variable]) -> Array:
        """Of the state at the start by each variable."""
        return np.column_stack([self._derivative(variable) for variable in variables])

    def _derivative(self, variable: Variable) -> Array:
        step = WIDTH * variable.size
        try:
            coarse = self._difference(variable, step)
            if not np.any(coarse):
                return coarse
            better: Array = (4 * self._difference(variable, step / 2) - coarse) / 3
        except ModelError:  # the value is at the end of its range
            return self._one_sided(variable, ONE_SIDED * variable.size)
        return better

    def _difference(self, variable: Variable, step: float) -> Array:
        change: Array = (self._state(variable, step) - self._state(variable, -step)) / (2 * step)
        return change

    def _one_sided(self, variable: Variable, step: float) -> Array:
        try:
            near = self._state(variable, step)
        except ModelError:
            step = -step
            near = self._state(variable, step)
        here, far = self._state(variable, 0.0), self._state(variable, 2 * step)
        change: Array = (4 * near - 3 * here - far) / (2 * step)
        return change

    def _state(self, variable: Variable, step: float) -> Array:
        f = self.formulation
        start, parameters = self.changed((variable,), np.array([step]))
        at = start_state(f, start, parameters, self.t)
        if variable.given in at.changed:
            raise SolveError(
                f"the start value of {variable.name!r} cannot be changed freely: the constraints move it back. Give "
                "fewer start values, or choose one that is free."
            )
        return state_vector(f, at, f.parameter_vector(parameters), self.t)
