"""Requests of the page, which are all validated before use."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Final, final

from trundle.errors import FileError, UnknownNameError
from trundle.real_array import is_number
from trundle.typing import Json, Raw

METHODS: Final = ("auto", "explicit", "order5", "order8", "stiff")
MOST: Final = 2001  # eigenvalues over a parameter

Request = Mapping[str, Raw]


@final
@dataclass(frozen=True)
class Settings:
    """Values of the sliders."""

    parameters: Mapping[str, float]
    start: Mapping[str, float | list[float]]
    duration: float  # s
    method: str = "auto"

    def plain(self) -> Json:
        """The settings as JSON for the page."""
        return {
            "parameters": dict(self.parameters), "start": dict(self.start), "duration": self.duration,
            "method": self.method,
        }  # fmt: skip


def read_settings(request: Request) -> Settings:
    """The settings of a run."""
    method = word(request, "method", "auto")
    if method not in METHODS:
        raise UnknownNameError(method, METHODS, "method")
    parameters = {str(name): number(value, str(name)) for name, value in _mapping(request, "parameters").items()}
    start = {str(name): _start(value, str(name)) for name, value in _mapping(request, "start").items()}
    return Settings(parameters, start, number(request.get("duration"), "duration"), method)


def number(value: Raw, name: str) -> float:
    """A finite number."""
    if not is_number(value) or not isfinite(value):
        raise FileError(f"{name}: give a finite number, not {value!r}.")
    return float(value)


def word(request: Request, name: str, usual: str | None = None) -> str:
    """A text."""
    value = request.get(name, usual)
    if not isinstance(value, str):
        raise FileError(f"{name}: give a text, not {value!r}.")
    return value


def words(request: Request, name: str) -> list[str]:
    """A list of texts."""
    value = request.get(name, [])
    if not isinstance(value, list) or not all(isinstance(v, str) for v in value):
        raise FileError(f"{name}: give a list of names, not {value!r}.")
    return value


def count(request: Request) -> int:
    """Number of values of a parameter."""
    value = number(request.get("count"), "count")
    if value != round(value) or not 2 <= value <= MOST:
        raise FileError(f"count: give an integer from 2 to {MOST}, not {value:g}.")
    return round(value)


def _mapping(request: Request, name: str) -> Mapping[str, Raw]:
    value = request.get(name, {})
    if not isinstance(value, dict):
        raise FileError(f"{name}: give names with numbers, not {value!r}.")
    return value


def _start(value: Raw, name: str) -> float | list[float]:
    if isinstance(value, list) and 1 <= len(value) <= 9:
        return [number(v, name) for v in value]
    return number(value, name)
