"""The plotted quantities, thinned out without losing peaks."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

import numpy as np

from trundle.typing import Array, Integers
from trundle.view.scene.scene import Curve

if TYPE_CHECKING:
    from trundle.run.run import Run

MOST: Final = 24  # quantities in a file when none are chosen
POINTS: Final = 1200  # of a curve


def usual_names(run: "Run") -> list[str]:
    """The most important quantities: coordinates, energies, normal forces, outputs."""
    known = set(run.names)
    short = [name for name in run.aliases if name in known]
    shown = {run.aliases[name] for name in short}
    coordinates = [name for name in run.coordinates if name not in shown and not run.component_labels(name)]
    forces = [f"{owner}.{kind}" for kind in ("normal_force", "gap") for owner in run.owners(kind)]
    energies = [name for name in ("energy.kinetic", "energy.potential") if name in known]
    return list(dict.fromkeys([*short, *coordinates, *energies, *forces]))[:MOST]


def scalar_names(run: "Run") -> list[str]:
    """All quantities, vectors by their components."""
    out: list[str] = []
    for name in run.names:
        labels = run.component_labels(name)
        out += [f"{name}_{label}" for label in labels] if labels else [name]
    return out


def curves(run: "Run", names: Iterable[str]) -> Iterator[Curve]:
    """Curves of quantities; a vector gives one for each component."""
    for name in names:
        labels = run.component_labels(name)
        for part in [f"{name}_{label}" for label in labels] if labels else [name]:
            values = run.values(part)
            kept = peaks(values, POINTS)
            yield Curve(part, run.unit(part), run.text(part), run.time[kept], np.asarray(values, dtype=float)[kept])


def peaks(values: Array, most: int) -> Integers:
    """Indices of at most about `most` samples that show the same curve: the lowest and highest of every interval."""
    n = len(values)
    if n <= most:
        return np.arange(n)
    length = -(-n // (most // 2))  # of a stretch; the last one is filled up with its own end
    rows = np.append(np.nan_to_num(values), np.full(-n % length, np.nan_to_num(values[-1]))).reshape(-1, length)
    first = np.arange(len(rows)) * length
    chosen = [first + np.argmin(rows, axis=1), first + np.argmax(rows, axis=1), [0, n - 1]]
    return np.unique(np.minimum(np.concatenate(chosen), n - 1))
