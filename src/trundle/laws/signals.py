"""What laws, forces, states, outputs and events may ask for."""

from typing import Any, Protocol

from trundle.typing import Expr


class NamedSignals(Protocol):
    """Time, and quantities by name: what the motion of a frame may ask."""

    @property
    def t(self) -> Expr: ...
    def __getitem__(self, name: str) -> Expr: ...


class Signals(NamedSignals, Protocol):
    """What a force may ask: kinematics of frames in ground axes, any quantity by name, time."""

    def position(self, frame: Any) -> Expr: ...
    def rotation(self, frame: Any) -> Expr: ...
    def velocity(self, frame: Any) -> Expr: ...
    def angular_velocity(self, frame: Any) -> Expr: ...
