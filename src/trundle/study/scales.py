"""Scales of a run: a typical length, speed and acceleration, relative to which its contacts decide what is negligible.

A contact must know which gap, slip and load are negligible. No fixed numbers in metres and newtons suit both grains of
dust and ships, so all of them are relative to

- a length L: the median of the lengths that the model is made of (as for absolute tolerances); without any, the
  largest coordinate at the start, or the way that the speed lasts for under gravity;
- a speed V: the largest at the start, with turns counted at L, and that of a fall under gravity through L; without
  either, what the forces at the start would give over L, or L in a second;
- an acceleration A: that of gravity, or V^2 / L without gravity;

and to the time L / V. They are among the parameters of the run, so kernels and compiled loops read the same numbers,
and a model in other units moves in proportion.
"""

import numpy as np

from trundle.equations.formulation import Formulation
from trundle.integrate.tolerance import UNITS, gravity_of, read_units, typical_length
from trundle.kernel import evaluate
from trundle.typing import Array


def set_sizes(f: Formulation, t: float, x: Array, p: Array) -> None:
    """Write the typical length, speed and acceleration of runs (cases, n_x) into their parameters (cases, n_p)."""
    group = f.once(read_units).group
    coordinates, _, slides, turns = (_largest(x[:, group == g]) for g in range(len(UNITS)))
    free = p.copy()
    free[:, [f.parameters.mode(m.contact, m.state) for m in f.parameters.modes if m.is_switch]] = 0.0
    rhs = f.kernels("base")["rhs"]
    rates = np.nan_to_num(evaluate(rhs, rhs, t, x, free, threads=1), nan=0.0, posinf=0.0, neginf=0.0)
    gravity = np.array([gravity_of(f, one) for one in p])
    length = np.array([typical_length(f, one) for one in p])
    pushes, spins = _largest(rates[:, group == 2]), _largest(rates[:, group == 3])
    for i in range(len(p)):
        L = length[i]
        if not np.isfinite(L):
            L = coordinates[i] or (slides[i] ** 2 / gravity[i] if slides[i] and gravity[i] else 1.0)
        V = max(slides[i], L * turns[i], np.sqrt(gravity[i] * L))
        if not V > 0.0:
            V = np.sqrt(L * max(pushes[i], L * spins[i])) or L
        p[i, f.parameters.size_slice] = L, V, gravity[i] or V**2 / L


def _largest(values: Array) -> Array:
    found: Array = np.max(np.abs(values), axis=1, initial=0.0)
    return found
