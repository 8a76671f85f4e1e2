"""Laws at a point of contact."""

from trundle.contact.friction import Coulomb, Creep, RegularisedCoulomb, Stribeck
from trundle.contact.rolling import NoSlip, NoSpin

__all__ = ["Coulomb", "Creep", "NoSlip", "NoSpin", "RegularisedCoulomb", "Stribeck"]
