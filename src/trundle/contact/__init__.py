"""Laws at a point of contact."""

from typing import TYPE_CHECKING

from trundle.messages.late_names import import_when_used

if TYPE_CHECKING:
    from trundle.contact.brush_tyre import BrushTyre
    from trundle.contact.friction import Coulomb, Creep, RegularisedCoulomb, Stribeck
    from trundle.contact.fufaev_neimark import FufaevNeimark
    from trundle.contact.lugre import LuGre
    from trundle.contact.magic_tyre import MagicTyre
    from trundle.contact.normal import Hertz, HuntCrossley, LinearContact
    from trundle.contact.patch_friction import PatchFriction
    from trundle.contact.relaxed import Relaxed
    from trundle.contact.resistance import RollingResistance, SpinFriction
    from trundle.contact.rolling import NoSlip, NoSpin
    from trundle.laws.restitution import Newton, Poisson, Stronge

__all__ = [
    "BrushTyre",
    "Coulomb",
    "Creep",
    "FufaevNeimark",
    "Hertz",
    "HuntCrossley",
    "LinearContact",
    "LuGre",
    "MagicTyre",
    "Newton",
    "NoSlip",
    "NoSpin",
    "PatchFriction",
    "Poisson",
    "RegularisedCoulomb",
    "Relaxed",
    "RollingResistance",
    "SpinFriction",
    "Stribeck",
    "Stronge",
]
_NAMES = {
    "trundle.contact.brush_tyre": "BrushTyre",
    "trundle.contact.friction": "Coulomb Creep RegularisedCoulomb Stribeck",
    "trundle.contact.fufaev_neimark": "FufaevNeimark",
    "trundle.contact.lugre": "LuGre",
    "trundle.contact.magic_tyre": "MagicTyre",
    "trundle.contact.normal": "Hertz HuntCrossley LinearContact",
    "trundle.contact.patch_friction": "PatchFriction",
    "trundle.contact.relaxed": "Relaxed",
    "trundle.contact.resistance": "RollingResistance SpinFriction",
    "trundle.contact.rolling": "NoSlip NoSpin",
    "trundle.laws.restitution": "Newton Poisson Stronge",
}
import_when_used(globals(), _NAMES)
