"""A branch of motions over a parameter: its points, where it changes, and why it ends."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, final

import numpy as np

from trundle.errors import MultiplierWarning, SolveError, UnknownNameError
from trundle.linear_algebra.one_thread import one_thread
from trundle.messages.arguments import explain_calls
from trundle.messages.preparing import preparing, under_way
from trundle.messages.warn import warn
from trundle.study.continuation.curve import AnyFollower, AnyNode, Judgement
from trundle.study.continuation.special import AnySpecial, specials
from trundle.study.interruption import noticed_interruptions
from trundle.typing import Array, Columns, Flags, Index, State

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure

STRAIGHT, VERY_STRAIGHT = 0.9, 0.985  # cosines between neighbouring tangents: at least, and for longer steps
DOUBT = 0.05  # logarithm of what multipliers are wrong by, above which that is said
EASY = 4  # Newton steps up to which the next step may be longer
SHORTEST = 1e-7  # step, as a part of the longest
REFRESH = 3  # steps between two changes of a mesh


@final
@dataclass(frozen=True)
class Steps:
    """How long steps along a branch are (in parts of the range of the parameter, or of the size of a motion), and how
    many there may be.
    """

    first: float = 0.02
    longest: float = 0.1
    limit: int = 300


class PointValues(ABC):
    """Functions that give values by name at a point of a branch, for one kind of motion."""

    units: Mapping[str, str]

    @abstractmethod
    def at(self, place: Index) -> State:
        """Values by name, each of one size at all points of a branch."""

    @abstractmethod
    def start(self, place: Index) -> State:
        """Coordinates and rates by name, for `simulate`."""


@explain_calls
@final
@dataclass(frozen=True, eq=False)
class Branch:
    """Points along a branch; `dataset` has them by name, `special` are the points at which it changes, `ending` says
    why it ends.
    """

    over: str
    unit: str
    of: str  # "equilibria", "steady" or "periodic"
    follower: AnyFollower
    point_values: PointValues
    nodes: tuple[AnyNode, ...]
    judgements: tuple[Judgement, ...]
    special: tuple[AnySpecial, ...]
    ending: str
    between: tuple[float, float]
    steps: Steps = field(default_factory=Steps)

    def __repr__(self) -> str:
        marks = ", ".join(f"{s.kind} at {s.parameter:.6g}" for s in self.special)
        return (
            f"<Branch of {self.of} over {self.over}: {len(self.nodes)} points; {marks or 'no change'}; {self.ending}>"
        )

    def __len__(self) -> int:
        return len(self.nodes)

    @property
    def parameter(self) -> Array:
        """Value of the parameter at each point."""
        return np.array([node.parameter for node in self.nodes])

    @property
    def stable(self) -> Flags:
        """Whether the motion is stable, at each point."""
        return np.array([one.stable for one in self.judgements])

    def all(self, kind: str) -> list[AnySpecial]:
        """Special points of a kind.

        Parameters
        ----------
        kind : str
            "fold", "Hopf", "branch point", "period doubling" or "torus".

        Returns
        -------
        list of Special
            In the order of the branch.
        """
        return [s for s in self.special if s.kind == kind]

    @cached_property
    def dataset(self) -> "xr.Dataset":
        """Values along the branch: states by name, eigenvalues or multipliers, `stable`; the parameter is a coordinate.
        Of periodic motions the least and the largest value, and the period.
        """
        import xarray as xr

        by_point = [self.point_values.at(node.place) for node in self.nodes]
        count = max(len(j.values) for j in self.judgements)
        values = np.full((len(self.nodes), count), complex(np.nan, np.nan))
        for row, j in zip(values, self.judgements, strict=True):
            row[: len(j.values)] = j.values
        kind = "multipliers" if self.of == "periodic" else "eigenvalues"
        variables: Columns = {kind: (("point", "mode"), values), "stable": ("point", self.stable)}
        for name in (n for n in by_point[0] if n != self.over):
            column = np.array([one[name] for one in by_point])
            dims = {1: ("point",), 2: ("point", "extreme" if self.of == "periodic" else "component")}[column.ndim]
            variables[name] = (dims, column, {"units": self.point_values.units.get(name, "")})
        names = {"extreme": ["min", "max"]} if self.of == "periodic" else {}
        at = {self.over: ("point", self.parameter, {"units": self.unit}), **names}
        return xr.Dataset(variables, at, {"ending": self.ending, "of": self.of})

    def __getitem__(self, name: str) -> "xr.DataArray":
        """Values of a state along the branch."""
        if name not in self.dataset:
            raise UnknownNameError(name, list(map(str, self.dataset)), "quantity of the branch")
        return self.dataset[name]

    @preparing("the picture")
    def plot(self, *names: str, beside: "Sequence[Branch]" = (), path: Path | str | None = None) -> "Figure":
        """Draw values over the parameter: stable parts solid, unstable ones dashed.

        Parameters
        ----------
        *names : str
            Values of `dataset`; the first state unless given.
        beside : sequence of Branch
            Other branches in the same picture.
        path : str or Path, optional
            File to write.

        Returns
        -------
        matplotlib.figure.Figure
        """
        from trundle.view.branch import plot_branches

        return plot_branches([self, *beside], names, path)

    def state(self, where: "int | AnySpecial") -> State:
        """Coordinates and rates at a point, for `simulate`; of periodic motions those at the start of a period.

        Parameters
        ----------
        where : int or Special
            Number of a point of the branch, or a special point.

        Returns
        -------
        dict
            Values by name.
        """
        place = self.nodes[where].place if isinstance(where, int) else where.node.place
        return self.point_values.start(place)

    def switch(self, point: AnySpecial, step: float = 0.05) -> "Branch":
        """The other branch through a branch point, in one direction.

        Parameters
        ----------
        point : Special
            A branch point of this branch.
        step : float
            First step, in parts of the range of the parameter or of the size of a motion; a negative one goes in the
            other direction.

        Returns
        -------
        Branch
        """
        if point.kind != "branch point":
            raise SolveError(f"another branch passes through branch points only, this is a {point.kind}.")
        try:
            first = self.follower.other(point.node, step)
        except SolveError as error:
            raise SolveError(f"no other branch was found at {self.over} = {point.parameter:.6g}: {error}") from error
        return follow(self.follower, first, self.point_values, self.over, self.unit, self.of, self.between, self.steps)


def follow(
    follower: AnyFollower, node: AnyNode, point_values: PointValues, over: str, unit: str, of: str,
    between: tuple[float, float], steps: Steps,
) -> Branch:  # fmt: skip
    """The branch from a point on, until it leaves the range, closes, or cannot be followed."""
    branch = _branch(follower, node, point_values, over, unit, of, between, steps)
    doubts = {float(x): one.doubt for x, one in zip(branch.parameter, branch.judgements, strict=True)}
    rough = [x for x, doubt in doubts.items() if doubt > DOUBT]
    if rough:
        warn(
            f"the multiplier of a shift in time, which is 1, has an error of a factor of up to "
            f"{np.exp(min(max(doubts.values()), 700.0)):.3g} at {len(rough)} of {len(doubts)} points ({over} from "
            f"{min(rough):.5g} to {max(rough):.5g}): the other multipliers may have such errors, and smaller growth "
            "counts as none. Give more intervals.",
            MultiplierWarning,
        )
    return branch


@one_thread()
def _branch(
    follower: AnyFollower, node: AnyNode, point_values: PointValues, over: str, unit: str, of: str,
    between: tuple[float, float], steps: Steps,
) -> Branch:  # fmt: skip
    low, high = min(between), max(between)
    points = _Points([node], [follower.curve.judge(node.place)], [])
    with noticed_interruptions() as check_interruption, under_way(f"branch of {of} over {over}") as tell:
        ending = _follow(follower, points, over, (low, high), steps, tell, check_interruption)
    nodes, judgements, found = tuple(points.nodes), tuple(points.judgements), tuple(points.specials)
    return Branch(over, unit, of, follower, point_values, nodes, judgements, found, ending, between, steps)


class _Points(NamedTuple):
    """What was found along a branch so far."""

    nodes: list[AnyNode]
    judgements: list[Judgement]
    specials: list[AnySpecial]


def _follow(
    follower: AnyFollower, points: _Points, over: str, between: tuple[float, float], steps: Steps,
    tell: Callable[[str], None], check_interruption: Callable[[], None],
) -> str:  # fmt: skip
    """Add points to a branch; why it ends. Where it is interrupted, what was found is kept."""
    nodes, judgements, found = points
    (low, high), node = between, nodes[-1]
    length, ending = steps.first, ""
    while not ending:
        tell(f"{len(nodes)} points, {over} = {node.parameter:.4g}")
        if len(nodes) >= steps.limit:
            ending = f"the limit of {steps.limit} points was reached"
            break
        try:
            check_interruption()
            if len(nodes) % REFRESH == 0:
                node = follower.refreshed(node)
            new = follower.step(node, length)
            straight = float(new.tangent @ node.tangent)
            if straight < STRAIGHT:
                raise SolveError("the branch bends too sharply.")
            if not low <= new.parameter <= high:
                ending = f"it leaves the range at {over} = {low if new.parameter < low else high:g}"
                new, length = _at_border(follower, node, length, low if new.parameter < low else high)
            judged = follower.curve.judge(new.place)
            found += specials(follower, (node, judgements[-1]), (new, judged), length, len(nodes) - 1)
        except KeyboardInterrupt:
            return f"it was interrupted at {over} = {node.parameter:.6g}"
        except SolveError as error:
            ending = ""
            length /= 2
            if length < SHORTEST * steps.longest:
                ending = f"it could not be followed beyond {over} = {node.parameter:.6g}: {error}"
            continue
        nodes.append(new)
        judgements.append(judged)
        if not ending and _closed(follower, nodes):
            ending = "it closes"
        if new.iterations <= EASY and straight > VERY_STRAIGHT:
            length = min(1.5 * length, steps.longest)
        node = new
    return ending


def _at_border(follower: AnyFollower, node: AnyNode, length: float, border: float) -> tuple[AnyNode, float]:
    from scipy.optimize import brentq

    tolerance = 1e-12 * length
    if node.parameter == border:  # it turns back at once
        raise SolveError("the range ends where the branch begins.")
    s = float(brentq(lambda s: follower.step(node, s).parameter - border, 0.0, length, xtol=tolerance))
    return follower.step(node, s), s


def _closed(follower: AnyFollower, nodes: list[AnyNode]) -> bool:
    """Whether the last step passed the first point."""
    if len(nodes) < 5:
        return False
    curve, first = follower.curve, nodes[0]
    z0, sizes = curve.unknowns(first.place), curve.sizes(first.place)
    a, b = ((curve.unknowns(node.place) - z0) / sizes for node in nodes[-2:])
    ahead = first.tangent @ nodes[-1].tangent > 0.5
    return bool(ahead and np.linalg.norm(b) < 2 * np.linalg.norm(b - a) and first.tangent @ a < 0 <= first.tangent @ b)
