"""Interfaces to the equations of a model for modes, collisions and searches of contacts."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from trundle.constraints.row import Row
from trundle.contact.bonds import ContactBonds
from trundle.linear_algebra.kkt import Sparse
from trundle.model.model import Model
from trundle.motion.motion import Inertias, Motion
from trundle.quantities.parameters import ParameterLayout, RunScales
from trundle.typing import Expr


class NamedSignals(Protocol):
    """Expressions by name."""

    def __getitem__(self, name: str) -> Expr: ...


class ContactEquations(Protocol):
    """Symbols, motion, contacts, mass matrix and bias."""

    @property
    def model(self) -> Model: ...
    @property
    def t(self) -> Expr: ...
    @property
    def q(self) -> Expr: ...
    @property
    def u(self) -> Expr: ...
    @property
    def p(self) -> Expr: ...
    @property
    def parameters(self) -> ParameterLayout: ...
    @property
    def shift(self) -> Expr: ...
    @property
    def scales(self) -> RunScales: ...
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
    def contact_efforts(self) -> Mapping[str, Mapping[str, Expr]]: ...
    @property
    def mass(self) -> list[Sparse]: ...
    @property
    def bias(self) -> Expr: ...


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
    def dynamics(self) -> tuple[Expr, Expr]:
        """udot and multipliers."""

    @property
    def solvable(self) -> Sequence[Expr]:
        """For each row, above zero where friction leaves one acceleration, below also where that is not resolved."""
