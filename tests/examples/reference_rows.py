"""Reference values by example and case, and errors of a run relative to them."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import yaml

import trundle as tr
from trundle import examples
from trundle.run.run import Run
from trundle.system import System


@cache
def _file() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = yaml.safe_load((Path(__file__).parent / "reference.yaml").read_text())
    return found


def reference(example: str) -> dict[str, Any]:
    """Everything known about an example."""
    return _file()[example]


@cache
def system(example: str, **sizes: int) -> System:
    """The example, built once for all tests of a process."""
    return examples.load(example, **sizes).model.build()


@dataclass(frozen=True, eq=False)
class Case:
    """Rows of one case; `data` is its entry in the file."""

    data: dict[str, Any]

    @property
    def times(self) -> list[float]:
        """Times to sample at: the start, then those of the rows."""
        return [0.0, *(float(row[0]) for row in self.data["rows"])]

    @property
    def duration(self) -> float:
        return self.times[-1]

    def column(self, name: str) -> np.ndarray:
        """Values of a column."""
        i = self.data["columns"].index(name)
        return np.array([row[i] for row in self.data["rows"]], dtype=float)

    def errors(self, run: Run, quantities: Mapping[str, str]) -> dict[str, float]:
        """Largest distance from the rows, for each column and the quantity that it is compared with."""
        assert run.ok, run.outcome
        return {c: float(np.max(np.abs(run.values(q)[1:] - self.column(c)))) for c, q in quantities.items()}

    def largest_error(self, run: Run, quantities: Mapping[str, str]) -> float:
        """Over all columns, absolute."""
        return max(self.errors(run, quantities).values())

    def scaled_error(self, run: Run, quantities: Mapping[str, str]) -> float:
        """Over all columns, each relative to 1 + the largest value in it."""
        errors = self.errors(run, quantities)
        return max(error / (1 + float(np.max(np.abs(self.column(c))))) for c, error in errors.items())


def cases(example: str) -> list[Case]:
    """All cases of an example."""
    return [Case(data) for data in reference(example)["cases"]]


def case(example: str, name: Any = "only") -> Case:
    """One case by its name."""
    return next(c for c in cases(example) if c.data["case"] == name)


def run_case(built: System, one: Case, rtol: float, method: str = "auto", **options: Any) -> Run:
    """Simulate to the last row, sampled at the rows."""
    return built.simulate(
        one.duration, method=method, rtol=rtol, atol=rtol, samples=one.times, steps=tr.Steps(most=1_000_000), **options
    )
