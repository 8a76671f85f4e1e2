"""What happens inside a collision."""

from trundle.impact.collision import Collision, ContactPhase
from trundle.impact.compliant import collide
from trundle.impact.foot_law import BiStiffness

__all__ = ["BiStiffness", "Collision", "ContactPhase", "collide"]
