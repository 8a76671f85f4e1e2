"""Signals that laws, forces, states, outputs and events may use."""

from typing import Protocol

from trundle.typing import Expr, ModelPart


class NamedSignals(Protocol):
    """Time, and quantities by name, for the motion of a frame."""

    @property
    def t(self) -> Expr: ...
    def __getitem__(self, name: str) -> Expr: ...


class Signals(NamedSignals, Protocol):
    """Signals for forces: kinematics of frames in ground axes, any quantity by name, time."""

    def position(self, frame: ModelPart) -> Expr: ...
    def rotation(self, frame: ModelPart) -> Expr: ...
    def velocity(self, frame: ModelPart) -> Expr: ...
    def angular_velocity(self, frame: ModelPart) -> Expr: ...
