"""Signals for the laws of one contact: those of the model, and the variables of the contact's own modes."""

from collections.abc import Mapping
from typing import final

from trundle.errors import UnknownNameError
from trundle.laws.signals import Signals
from trundle.typing import Expr


@final
class ContactSignals:
    """Signals of the model, and `mode(name)`."""

    def __init__(self, signals: Signals, modes: Mapping[str, Expr]) -> None:
        self._signals, self._modes = signals, modes

    def __getitem__(self, name: str) -> Expr:
        return self._signals[name]

    def __getattr__(self, name: str) -> Expr:
        return getattr(self._signals, name)

    def mode(self, name: str) -> Expr:
        """A number that a mode of the contact keeps."""
        if name not in self._modes:
            raise UnknownNameError(name, self._modes, "mode of the contact")
        return self._modes[name]
