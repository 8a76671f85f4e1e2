"""Coefficients of the integration methods, from `tableaus.json`, and the data of a method for the compiled loop."""

import json
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import ClassVar

import numpy as np

from trundle.errors import ModelError
from trundle.typing import Given, Json


@dataclass(frozen=True)
class StepControl:
    """PI step control: h_new = h * safety * error^-alpha * last_error^beta, held between shrink and growth."""

    alpha: float
    beta: float
    safety: float = 0.9
    shrink: float = 0.2
    growth: float = 6.0


@dataclass(frozen=True, eq=False)
class Plan:
    """A method in the form that the compiled loop needs: flat arrays and the address of the compiled step."""

    stages: int
    rows: int
    end_row: int
    end_in_step: bool
    stage_scale: bool  # True: the rows are slopes, to be multiplied by h in the dense output
    coefficients: np.ndarray
    error_rows: int
    dense: np.ndarray
    step_address: Callable[[], int]
    needs_jacobian: bool = False
    extra_nodes: np.ndarray = field(default_factory=lambda: np.zeros(0))
    extra_stages: np.ndarray = field(default_factory=lambda: np.zeros((0, 1)))


@dataclass(frozen=True)
class Method(ABC):
    """An integration method: its coefficients as a plan, its step control, its order and its abilities."""

    control: ClassVar[StepControl]
    order: ClassVar[int]
    dense_order: ClassVar[int]
    needs_jacobian: ClassVar[bool]
    stability: ClassVar[float] = math.inf  # longest stable step, times the fastest rate of decay
    in_lanes: ClassVar[bool]  # whether it can be used in SIMD lanes; otherwise batches integrate runs one by one

    @abstractmethod
    def plan(self) -> Plan:
        """Arrays for the compiled loop."""


@cache
def _document() -> Json:
    text: Json = json.loads(files("trundle.integrate.methods").joinpath("tableaus.json").read_text(encoding="utf-8"))
    return text


def _number(value: str | float) -> float:
    above, _, below = str(value).partition("/")
    return int(above) / int(below) if below else float(value)


def read(name: str) -> Json:
    """The entry `name` of the coefficient file."""
    return tableau(**_document()[name])


def tableau(**given: Given) -> Json:
    """Coefficients of a method by name: fractions become floats, lists arrays (ragged rows are padded)."""
    entry: Json = {}
    for key, value in given.items():
        if isinstance(value, list):
            ragged = bool(value) and isinstance(value[0], list)
            entry[key] = matrix(value) if ragged else np.array([_number(v) for v in value])
        else:
            entry[key] = value
    return entry


def check_table(method: "Method", table: Json, lists: Sequence[str], tables: Sequence[str], widest: int) -> None:
    """ModelError if coefficients of a method are missing or do not fit its number of stages, that of its weights.

    `lists` have one number for each stage, `tables` one row; rows of `error` and `dense` may be longer by `widest`.
    """
    name, needed = type(method).__name__, ("weights", *lists, *tables, "error")
    missing = [word for word in needed if word not in table]
    if missing:
        raise ModelError(f"{name}: its coefficients lack {', '.join(missing)}; it needs {', '.join(needed)}.")
    stages = len(table["weights"])
    said = f"its weights say that it has {stages} stages"
    for word in (*lists, *tables):
        if np.ndim(table[word]) != (1 if word in lists else 2) or len(table[word]) != stages:
            what = "numbers" if word in lists else "rows"
            raise ModelError(f"{name}: {word} must have {stages} {what}, one for each stage; {said}.")
    for word in (*tables, "error", "dense"):
        most = stages + (0 if word in tables else widest)
        if word in table and np.size(table[word]) and np.shape(table[word])[-1] > most:
            raise ModelError(f"{name}: rows of {word} have at most {most} numbers; {said}.")
    if np.ndim(table["error"]) != 2:
        raise ModelError(f"{name}: error is a list of rows, [[...]], one for each error estimate.")


def matrix(ragged: list[list[str | float]]) -> np.ndarray:
    """Rows of different length as one array, filled with zeros."""
    out = np.zeros((len(ragged), max((len(row) for row in ragged), default=0)))
    for i, row in enumerate(ragged):
        out[i, : len(row)] = [_number(v) for v in row]
    return out


def widen(array: np.ndarray, columns: int) -> np.ndarray:
    """The array with zero columns added on the right."""
    out = np.zeros((*array.shape[:-1], columns))
    out[..., : array.shape[-1]] = array
    return out
