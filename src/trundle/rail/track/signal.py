"""Signals along the track: sums of sines, and splines through measurements."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, final

import numpy as np
from numpy.typing import ArrayLike

from trundle.errors import SolveError
from trundle.typing import Array, Untyped

if TYPE_CHECKING:
    pass

AT_ONCE = 4_000_000  # sines times places that are evaluated in one go


class Signal(Protocol):
    """A deviation (m) along the track."""

    def __call__(self, s: ArrayLike, derivative: int = 0) -> Array:
        """Value, or a derivative by s, at s."""
        ...

    @property
    def shortest_wave(self) -> float:
        """Length of its shortest wave (m); infinite where that is not known."""
        ...

    @property
    def knots(self) -> Array:
        """Places where a high derivative jumps (m)."""
        ...

    def on_grid(self, start: float, step: float, count: int, derivatives: int = 3) -> Array:
        """Value and derivatives by s (rows) at equal distances."""
        ...


@final
@dataclass(frozen=True, eq=False)
class SineSum:
    """Sum of amplitude * cos(omega s + phase)."""

    omegas: Array  # rad/m
    amplitudes: Array  # m
    phases: Array  # rad

    @property
    def shortest_wave(self) -> float:
        return float(2.0 * np.pi / np.max(np.abs(self.omegas), initial=1e-9))

    @property
    def knots(self) -> Array:
        return np.zeros(0)

    def __call__(self, s: ArrayLike, derivative: int = 0) -> Array:
        places = np.asarray(s, float)
        flat, out = places.reshape(-1), np.empty(places.size)
        heights = self.amplitudes * self.omegas**derivative
        phases = self.phases + 0.5 * np.pi * derivative
        block = max(1, AT_ONCE // max(1, len(self.omegas)))
        for i in range(0, len(flat), block):
            out[i : i + block] = np.cos(flat[i : i + block, None] * self.omegas + phases) @ heights
        return out.reshape(places.shape)

    def on_grid(self, start: float, step: float, count: int, derivatives: int = 3) -> Array:
        """As products of a coarse and a fine grid: one matrix product, without a cosine at every place."""
        fine = max(1, int(np.sqrt(count)))
        coarse = -(-count // fine)
        inner = np.exp(1j * np.outer(self.omegas, step * np.arange(fine)))
        outer = np.exp(1j * (np.outer(start + step * fine * np.arange(coarse), self.omegas) + self.phases))
        out = np.empty((derivatives, count))
        for order in range(derivatives):
            factor = self.amplitudes * (1j * self.omegas) ** order
            out[order] = ((outer * factor) @ inner).real.reshape(-1)[:count]
        return out


@final
@dataclass(frozen=True, eq=False)
class SplineSignal:
    """Smoothing spline of degree 5 through measured values; derivatives are those of the spline."""

    spline: Untyped
    begin: float  # m
    end: float  # m
    residual: float  # m, root mean square of measured minus smooth

    @property
    def shortest_wave(self) -> float:
        return np.inf

    @property
    def knots(self) -> Array:
        return np.asarray(self.spline.get_knots(), float)

    def __call__(self, s: ArrayLike, derivative: int = 0) -> Array:
        places = np.asarray(s, float)
        if not np.all((places >= self.begin) & (places <= self.end)):
            raise SolveError(f"the measured irregularity goes from {self.begin:g} to {self.end:g} m; s leaves it.")
        return np.asarray(self.spline(places, derivative)).reshape(places.shape)

    def on_grid(self, start: float, step: float, count: int, derivatives: int = 3) -> Array:
        s = start + step * np.arange(count)
        return np.array([self(s, order) for order in range(derivatives)])
