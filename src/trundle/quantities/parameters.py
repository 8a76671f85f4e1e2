"""Layout of p, the parameter vector of the kernels."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import final

import casadi as ca
import numpy as np

from trundle.errors import ModelError, UnknownNameError
from trundle.lookup.table import Table
from trundle.model.check import finite_number, mass_faults, size_faults
from trundle.model.inputs_given import split_signals
from trundle.model.model import Model
from trundle.model.register import model_register
from trundle.typing import Array, Expr, Values

SHIFT = 1e-12  # relative to the mean of a loop; a run with loose tolerances takes a larger one


@final
@dataclass(frozen=True)
class ModeState:
    """A number that describes the mode of a contact and changes at events: whether it sticks or is closed, the
    direction of sliding, ...
    """

    contact: str
    state: str
    default: float = 1.0
    is_switch: bool = False  # it switches constraint rows on and off

    @property
    def name(self) -> str:
        return f"{self.contact}.{self.state}"


@final
@dataclass(frozen=True)
class RunScales:
    """Symbols of what each run sets: a typical length (m), speed (m/s) and acceleration (m/s^2), relative to which
    gaps, slips and forces at contacts are judged negligible (`study.scales`), and the relative shift of the multiplier
    block, which depends on the tolerance.
    """

    length: Expr
    speed: Expr
    acceleration: Expr
    shift: Expr


SCALES = ("length_scale", "speed_scale", "acceleration_scale", "shift")  # names of the last entries of p, in order


@final
@dataclass(frozen=True)
class ParameterLayout:
    """p = [parameters of the model, tables, modes of contacts, scales of the run]; the order is defined here only. A
    table is represented by its handle. The level of an input is one of the parameters, its signal a table.
    """

    parameters: tuple[str, ...]
    modes: tuple[ModeState, ...] = ()
    tables: tuple[str, ...] = ()

    @staticmethod
    def of(model: Model, modes: Sequence[ModeState]) -> "ParameterLayout":
        return ParameterLayout(tuple(model.parameters), tuple(modes), tuple(model.tables))

    def __len__(self) -> int:
        return len(self.parameters) + len(self.tables) + len(self.modes) + len(SCALES)

    @property
    def parameter_slice(self) -> slice:
        return slice(0, len(self.parameters))

    @property
    def table_slice(self) -> slice:
        first = len(self.parameters)
        return slice(first, first + len(self.tables))

    @property
    def mode_slice(self) -> slice:
        first = self.table_slice.stop
        return slice(first, first + len(self.modes))

    @property
    def names(self) -> tuple[str, ...]:
        """A name for every entry."""
        return (*self.parameters, *self.tables, *(mode.name for mode in self.modes), *SCALES)

    @property
    def size_slice(self) -> slice:
        """Slice of the typical length, speed and acceleration of a run."""
        return slice(self.mode_slice.stop, self.shift)

    @property
    def shift(self) -> int:
        """Index of the relative shift of the multiplier block, chosen with the tolerance."""
        return len(self) - 1

    def parameter(self, name: str) -> int:
        return self.parameters.index(name)

    def mode(self, contact: str, state: str) -> int:
        """Index of a mode state of a contact; -1 if the contact has none of this name."""
        return self._mode_places.get((contact, state), -1)

    @cached_property
    def _mode_places(self) -> dict[tuple[str, str], int]:
        return {(mode.contact, mode.state): i for i, mode in enumerate(self.modes, start=self.mode_slice.start)}

    def symbols(self, model: Model) -> tuple[Expr, dict[str, Expr], RunScales]:
        """p as symbols, its modes by name, and the scales of the run."""
        modes, scales = {mode.name: ca.SX.sym(mode.name) for mode in self.modes}, [ca.SX.sym(name) for name in SCALES]
        return ca.vertcat(*model.parameter_symbols(), *modes.values(), *scales), modes, RunScales(*scales)

    def values(self, p: Array) -> dict[str, float]:
        """Values of the model's parameters by name."""
        return {name: float(value) for name, value in zip(self.parameters, p, strict=False)}

    def modes_at(self, p: Array) -> dict[ModeState, float]:
        return {mode: float(value) for mode, value in zip(self.modes, p[self.mode_slice], strict=True)}

    def vector(self, model: Model, given: Values | None = None) -> Array:
        """p with the given values and tables, and the defaults of the model for all others; ModelError for invalid
        values. The caller must keep the tables alive while it uses the vector.
        """
        if given is not None and not isinstance(given, Mapping):
            raise ModelError(f"give parameters by name, {{'name': value}}, not as {type(given).__name__}.")
        given = given and split_signals(model, given)
        values, tables = model.parameter_values(), self.tables_of(model, given)
        for name, value in (given or {}).items():
            if name not in values and name not in tables:
                raise self.unknown(model, name)
            if name in values:
                if callable(value) and name in model.inputs:
                    raise ModelError(f"{name!r} is an input: a function of time is given as inputs={{{name!r}: ...}}.")
                values[name] = finite_number(value, f"{'input' if name in model.inputs else 'parameter'} {name!r}")
        if given:
            faults = mass_faults(model, values) + size_faults(model, values)
            if faults:
                raise ModelError(faults)
        handles = [table.block.handle for table in tables.values()]
        return np.array([*values.values(), *handles, *(mode.default for mode in self.modes), 1.0, 1.0, 1.0, SHIFT])

    @staticmethod
    def unknown(model: Model, name: str) -> UnknownNameError:
        """The error for a parameter or table that a model does not have; it may be the name of a start value."""
        what = "parameter or table" if model.tables else "parameter"
        remedy = f"Start values are given as start={{{name!r}: ...}}." if model_register(model).find(name) else ""
        return UnknownNameError(name, model.names_given(), what, remedy)

    def tables_of(self, model: Model, given: Values | None) -> dict[str, Table]:
        """The tables of a run by name: the given ones, and those of the model for all others."""
        chosen = split_signals(model, given) if given else {}
        return {name: own.fit(chosen[name]) if name in chosen else own.table for name, own in model.tables.items()}

    def put_tables(self, p: Array, tables: Iterable[Table]) -> None:
        """Write the handles that tables have in this process into vectors p (..., length)."""
        p[..., self.table_slice] = [table.block.handle for table in tables]
