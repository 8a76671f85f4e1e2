"""Where each number stands in p, the vector that kernels take beside time and state."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import casadi as ca
import numpy as np

from trundle.errors import ModelError, UnknownNameError
from trundle.model.check import finite_number, mass_faults, size_faults
from trundle.model.model import Model
from trundle.typing import Array

SHIFT = 1e-12  # relative to the mean of a loop; a run with loose tolerances takes a larger one


@final
@dataclass(frozen=True)
class ModeState:
    """A number of a contact that changes at events: whether it sticks, where it slides, whether it is closed, ..."""

    contact: str
    state: str
    default: float = 1.0
    is_switch: bool = False  # rows act or not by it

    @property
    def name(self) -> str:
        return f"{self.contact}.{self.state}"


@final
@dataclass(frozen=True)
class ParameterLayout:
    """p = [parameters of the model, inputs, modes of contacts, shift of the multiplier block]; it alone knows the
    order. Inputs are numbers that a controller or a table gives during a run.
    """

    parameters: tuple[str, ...]
    inputs: tuple[str, ...] = ()
    modes: tuple[ModeState, ...] = ()

    @staticmethod
    def of(model: Model, modes: Sequence[ModeState]) -> "ParameterLayout":
        return ParameterLayout(tuple(model.parameters), (), tuple(modes))

    def __len__(self) -> int:
        return self.shift + 1

    @property
    def parameter_slice(self) -> slice:
        return slice(0, len(self.parameters))

    @property
    def mode_slice(self) -> slice:
        first = len(self.parameters) + len(self.inputs)
        return slice(first, first + len(self.modes))

    @property
    def shift(self) -> int:
        """Place of the relative shift of the multiplier block, chosen with the tolerance."""
        return len(self.parameters) + len(self.inputs) + len(self.modes)

    def parameter(self, name: str) -> int:
        return self.parameters.index(name)

    def mode(self, contact: str, state: str) -> int:
        """Place of a number of a contact mode; -1 where the contact has none of this name."""
        return self._mode_places.get((contact, state), -1)

    @cached_property
    def _mode_places(self) -> dict[tuple[str, str], int]:
        return {(mode.contact, mode.state): i for i, mode in enumerate(self.modes, start=self.mode_slice.start)}

    def symbols(self, model: Model) -> tuple[Any, dict[str, Any], Any]:
        """p as symbols, its modes by name, and the shift."""
        modes, shift = {mode.name: ca.SX.sym(mode.name) for mode in self.modes}, ca.SX.sym("shift")
        return ca.vertcat(*[x.symbol for x in model.parameters.values()], *modes.values(), shift), modes, shift

    def values(self, p: Array) -> dict[str, float]:
        """Values of the model's parameters by name."""
        return {name: float(value) for name, value in zip(self.parameters, p, strict=False)}

    def modes_at(self, p: Array) -> dict[ModeState, float]:
        return {mode: float(value) for mode, value in zip(self.modes, p[self.mode_slice], strict=True)}

    def vector(self, model: Model, given: Mapping[str, float] | None = None) -> Array:
        """Defaults of the model with the given values in place of some; ModelError for values that cannot be."""
        if given is not None and not isinstance(given, Mapping):
            raise ModelError(f"parameters go by name, {{'name': value}}, not as {type(given).__name__}.")
        values = model.parameter_values()
        for name, value in (given or {}).items():
            if name not in values:
                raise UnknownNameError(name, values, "parameter")
            values[name] = finite_number(value, f"parameter {name!r}")
        if given:
            faults = mass_faults(model, values) + size_faults(model, values)
            if faults:
                raise ModelError(faults)
        return np.array([*values.values(), *(mode.default for mode in self.modes), SHIFT])
