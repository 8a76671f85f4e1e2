"""What laws, forces, states, outputs and events may ask for."""

from typing import Protocol

from trundle.typing import Expr, ModelPart


class NamedSignals(Protocol):
    """Time, and quantities by name: what the motion of a frame may ask."""

    @property
    def t(self) -> Expr: ...
    def __getitem__(self, name: str) -> Expr: ...


class Signals(NamedSignals, Protocol):
    """What a force may ask: kinematics of frames in ground axes, any quantity by name, time."""

    def position(self, frame: ModelPart) -> Expr: ...
    def rotation(self, frame: ModelPart) -> Expr: ...
    def velocity(self, frame: ModelPart) -> Expr: ...
    def angular_velocity(self, frame: ModelPart) -> Expr: ...
