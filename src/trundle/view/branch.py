"""Branches over a parameter: stable parts solid, unstable ones dashed, special points marked."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.typing import ColorType

from trundle.errors import SolveError
from trundle.study.continuation.branch import Branch
from trundle.typing import Array, Flags, Index
from trundle.view.style import COLOURS, INK, finish, new_figure, style

MARKS = {"fold": "o", "Hopf": "s", "branch point": "D", "period doubling": "^", "torus": "v"}
KINDS = {"equilibria": "equilibria", "steady": "steady motions", "periodic": "periodic motions"}
UNSTABLE = (0, (4, 2))


def plot_branches(
    branches: Sequence[Branch], names: Sequence[str] = (), path: Path | str | None = None, title: str | None = None
) -> Figure:
    """One panel for each name; for periodic motions with the largest and the smallest value."""
    if not branches:
        raise SolveError("there is no branch to draw.")
    first = branches[0]
    shown = list(names) or [_first_name(first)]
    with style():
        kinds = " and ".join(dict.fromkeys(KINDS[branch.of] for branch in branches))
        heading = f"{kinds} over {first.over}" if title is None else title
        figure = new_figure(7.2, 1.2 + 3.2 * len(shown), heading)
        panels = np.atleast_1d(figure.subplots(len(shown), 1, sharex=True))
        for axes, name in zip(panels, shown, strict=True):
            for k, branch in enumerate(branches):
                draw_branch(axes, branch, name, COLOURS[k % len(COLOURS)])
            unit = next((str(b[name].attrs.get("units", "")) for b in branches if name in b.dataset), "")
            axes.set_ylabel(f"{name} ({unit})" if unit else name)
            axes.margins(x=0.03, y=0.08)
        panels[-1].set_xlabel(f"{first.over} ({first.unit})" if first.unit else first.over)
        _legend(panels[0], branches)
        return finish(figure, path)


def draw_branch(axes: Axes, branch: Branch, name: str, colour: ColorType) -> None:
    """Lines of one branch, and its special points."""
    if name not in branch.dataset:
        return
    at, columns, stable = _line(branch, name)
    for column in columns.T:
        axes.plot(at, _where(column, stable), color=colour)
        axes.plot(at, _where(column, ~stable), color=colour, linestyle=UNSTABLE)
    for special in branch.special:
        for value in _values(branch, special.node.place, name):
            axes.plot(special.parameter, value, MARKS[special.kind], color=INK, markersize=5, zorder=3)


def _values(branch: Branch, place: Index, name: str) -> Array:
    return np.atleast_1d(np.asarray(branch.point_values.at(place)[name], float))


def _line(branch: Branch, name: str) -> tuple[Array, Array, Flags]:
    """Parameter, values and stability (of the part that follows) at all points and special points, in their order."""
    at: list[float] = []
    rows: list[Array] = []
    stable: list[bool] = []
    for k, node in enumerate(branch.nodes):
        at.append(node.parameter)
        rows.append(_values(branch, node.place, name))
        stable.append(bool(branch.stable[k]))
        for special in branch.special:
            if special.after == k:
                at.append(special.parameter)
                rows.append(_values(branch, special.node.place, name))
                stable.append(bool(branch.stable[k + 1]))
    return np.array(at), np.array(rows), np.array(stable)


def _where(values: Array, chosen: Flags) -> Array:
    """Values where chosen, and one point more so that the parts meet; nan elsewhere."""
    near = chosen.copy()
    near[1:] |= chosen[:-1]
    return np.where(near, values, np.nan)


def _first_name(branch: Branch) -> str:
    names = [str(n) for n in branch.dataset if n not in ("eigenvalues", "multipliers", "stable", "period")]
    return names[0]


def _legend(axes: Axes, branches: Sequence[Branch]) -> None:
    kinds = list(dict.fromkeys(s.kind for b in branches for s in b.special))
    lines = [Line2D([], [], color=INK), Line2D([], [], color=INK, linestyle=UNSTABLE)]
    lines += [Line2D([], [], color=INK, marker=MARKS[k], linestyle="", markersize=5) for k in kinds]
    axes.legend(lines, ["stable", "unstable", *kinds], loc="best")
