"""What laws, forces, states, outputs and events may ask for."""

from typing import Any, Protocol

from trundle.typing import Expr


class Signals(Protocol):
    """What a force may ask: kinematics of frames in ground axes, any quantity by name, time."""

    t: Expr

    def __getitem__(self, name: str) -> Expr: ...
    def position(self, frame: Any) -> Expr: ...
    def rotation(self, frame: Any) -> Expr: ...
    def velocity(self, frame: Any) -> Expr: ...
    def angular_velocity(self, frame: Any) -> Expr: ...
