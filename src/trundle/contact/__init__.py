"""Laws at a point of contact."""

from trundle.contact.rolling import NoSlip, NoSpin

__all__ = ["NoSlip", "NoSpin"]
