"""What modes, collisions and searches of contacts need to know of the equations of a model."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from trundle.constraints.row import Row
from trundle.contact.bonds import ContactBonds
from trundle.linear_algebra.kkt import Sparse
from trundle.model.model import Model
from trundle.motion.motion import Inertias, Motion
from trundle.quantities.parameters import ParameterLayout


class NamedSignals(Protocol):
    """Expressions by name."""

    def __getitem__(self, name: str) -> Any: ...


class ContactEquations(Protocol):
    """Symbols, motion, contacts, mass matrix and bias."""

    @property
    def model(self) -> Model: ...
    @property
    def t(self) -> Any: ...
    @property
    def q(self) -> Any: ...
    @property
    def u(self) -> Any: ...
    @property
    def p(self) -> Any: ...
    @property
    def parameters(self) -> ParameterLayout: ...
    @property
    def shift(self) -> Any: ...
    @property
    def n_u(self) -> int: ...
    @property
    def motion(self) -> Motion: ...
    @property
    def inertias(self) -> Inertias: ...
    @property
    def signals(self) -> NamedSignals: ...
    @property
    def contact_bonds(self) -> Mapping[str, ContactBonds]: ...
    @property
    def contact_efforts(self) -> Mapping[str, Mapping[str, Any]]: ...
    @property
    def mass(self) -> list[Sparse]: ...
    @property
    def bias(self) -> Any: ...


class SolvedEquations(Protocol):
    """Equations with the rows that hold, and the accelerations and multipliers that follow."""

    @property
    def equations(self) -> ContactEquations: ...
    @property
    def rows(self) -> Sequence[Row]: ...

    @property
    def independent(self) -> Sequence[Row]:
        """Rows without those that follow from others at most poses."""

    @property
    def length(self) -> float:
        """A typical length of the model (m)."""

    @property
    def by_pseudo_inverse(self) -> bool: ...

    @property
    def dynamics(self) -> tuple[Any, Any]:
        """udot and multipliers."""

    @property
    def uniqueness(self) -> Any:
        """Above zero where friction leaves one acceleration."""
