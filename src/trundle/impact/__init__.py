"""What happens inside a collision."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trundle.impact.collision import Collision, Phase
    from trundle.impact.compliant import collide
    from trundle.impact.foot_law import BiStiffness

__all__ = ["BiStiffness", "Collision", "Phase", "collide"]

_LATE = {
    "BiStiffness": "trundle.impact.foot_law",
    "Collision": "trundle.impact.collision",
    "Phase": "trundle.impact.collision",
    "collide": "trundle.impact.compliant",
}


def __getattr__(name: str) -> Any:
    """Names are imported when first asked for."""
    if name not in _LATE:
        raise AttributeError(f"module 'trundle.impact' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_LATE[name]), name)
