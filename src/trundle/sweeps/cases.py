"""The cases of a sweep: values of parameters, tables and start values by name, one for each case."""

import hashlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from trundle.errors import SolveError, UnknownNameError
from trundle.lookup.table import Table
from trundle.messages.arguments import advised_function, explain_calls
from trundle.real_array import real_array
from trundle.typing import AnyArray, Given, State, Untyped, Values

Range = tuple[float, float]


@explain_calls
@final
@dataclass(frozen=True, eq=False)
class Cases:
    """The cases of a sweep: arrays of equal length by name; those of tables contain tr.Table objects."""

    values: Mapping[str, AnyArray]

    @staticmethod
    def of(given: "Cases | Values") -> "Cases":
        """Cases from a list of values for each name, or as they are.

        Parameters
        ----------
        given : Cases or mapping
            {"k": [1.0, 2.0, 3.0], "bob.angle": [0.1, 0.2, 0.3], "c": 0.5}: three cases, with the same c.

        Returns
        -------
        Cases

        Raises
        ------
        SolveError
            If there is no case, lists differ in length, or a value is neither a finite number nor a table.
        """
        if isinstance(given, Cases):
            return given
        if not isinstance(given, Mapping):
            raise SolveError(f"give the cases of a sweep by name, {{'k': [1.0, 2.0]}}, not as {type(given).__name__}.")
        count = max((len(column) for column in given.values() if not _is_constant(column)), default=0)
        values = {
            str(name): _column(str(name), [column] * count if count and _is_constant(column) else column)
            for name, column in given.items()
        }
        lengths = {name: len(column) for name, column in values.items()}
        if not values or 0 in lengths.values():
            raise SolveError("a sweep needs at least one case; give each name a list of values, {'k': [1.0, 2.0]}.")
        if len(set(lengths.values())) > 1:
            listed = ", ".join(f"{name} {n}" for name, n in lengths.items())
            raise SolveError(f"the lists of a sweep differ in length ({listed}); tr.grid(...) makes all combinations.")
        return Cases(values)

    def __len__(self) -> int:
        return len(next(iter(self.values.values())))

    def __getitem__(self, some: slice) -> "Cases":
        return Cases({name: column[some] for name, column in self.values.items()})

    def labels(self, parameters: Sequence[str], inputs: Collection[str] = ()) -> dict[str, AnyArray]:
        """Values as coordinates of results, those of inputs as "input(name)", those of start values as "start(name)"; a
        table is represented by its index among the different ones of its name.

        Parameters
        ----------
        parameters : sequence of str
            Names of the parameters of the model.
        inputs : collection of str
            Names of its inputs.

        Returns
        -------
        dict
        """
        named = {}
        for name, column in self.values.items():
            plain = name if name in parameters else f"start({name})"
            named[f"input({name})" if name in inputs else plain] = column
        return {name: _numbered(column) if _of_tables(column) else column for name, column in named.items()}

    @property
    def digest(self) -> str:
        """Digest of all values."""
        found = hashlib.sha256()
        for name, column in self.values.items():
            bits = ",".join(t.digest for t in column).encode() if _of_tables(column) else column.tobytes()
            found.update(f"{name} {len(column)} ".encode() + bits)
        return found.hexdigest()

    def split(self, parameters: Sequence[str], known: Sequence[str]) -> tuple[State, State]:
        """Start values and parameters of a batch; `known` are the names that a start may have.

        Parameters
        ----------
        parameters : sequence of str
            Names of the parameters of the model.
        known : sequence of str
            Names that a start may have.

        Returns
        -------
        tuple of dict
        """
        start, given = {}, {}
        for name, column in self.values.items():
            if name in parameters:
                given[name] = list(column) if _of_tables(column) else column
            elif name in known:
                start[name] = column
            else:
                raise UnknownNameError(name, [*parameters, *known], "parameter, input, table or start value")
        return start, given


@advised_function("values go by name in one mapping, tr.grid({'k': [1, 2, 3], 'mu': [0.1, 0.2]})")
def grid(values: Values) -> Cases:
    """Every combination of values; the last name changes fastest.

    Parameters
    ----------
    values : mapping
        Numbers, or tables, by name: {"k": [1, 2, 3], "mu": [0.1, 0.2], "c": 0.5} are six cases with the same c.

    Returns
    -------
    Cases
    """
    columns = {name: _column(name, [column] if _is_constant(column) else column) for name, column in values.items()}
    for name, column in columns.items():
        if not len(column):
            raise SolveError(f"grid: {name!r} has no values, so there are no cases.")
    if all(_is_constant(column) for column in values.values()):
        raise SolveError("grid: give at least one name with a list of its values, {'k': [1, 2, 3]}.")
    places = np.meshgrid(*(np.arange(len(column)) for column in columns.values()), indexing="ij")
    return Cases({name: column[i.ravel()] for (name, column), i in zip(columns.items(), places, strict=True)})


def latin_hypercube(count: int, ranges: Mapping[str, Range | float], seed: int) -> Cases:
    """Random cases by Latin hypercube sampling.

    Parameters
    ----------
    count : int
        Number of cases.
    ranges : mapping
        (least, largest) value by name; a number is the same in all cases.
    seed : int
        The same seed gives the same cases.

    Returns
    -------
    Cases
    """
    from scipy.stats import qmc

    return _sampled(lambda n: qmc.LatinHypercube(n, rng=np.random.default_rng(seed)), count, ranges)


def sobol(count: int, ranges: Mapping[str, Range | float], seed: int) -> Cases:
    """Cases of a scrambled Sobol sequence, which fills the ranges evenly; best for powers of two.

    Parameters
    ----------
    count : int
        Number of cases.
    ranges : mapping
        (least, largest) value by name; a number is the same in all cases.
    seed : int
        The same seed gives the same cases.

    Returns
    -------
    Cases
    """
    import warnings

    from scipy.stats import qmc

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*balance properties", UserWarning)  # for counts that are not powers of two
        return _sampled(lambda n: qmc.Sobol(n, rng=np.random.default_rng(seed)), count, ranges)


def _sampled(engine: Callable[[int], Untyped], count: int, given: Mapping[str, Range | float]) -> Cases:
    ranges = {name: bounds for name, bounds in given.items() if not _is_constant(bounds)}
    if not ranges or not isinstance(count, int | np.integer) or count < 1:
        raise SolveError(f"samples need at least one range and one case, got {len(ranges)} ranges and {count!r} cases.")
    for name, bounds in ranges.items():
        column = _column(name, bounds)
        if len(column) != 2 or not column[0] < column[1]:
            raise SolveError(
                f"the range of {name!r} is (least, largest), got {bounds!r}; a number is the same in all cases."
            )
    points = engine(len(ranges)).random(int(count))
    low, high = np.array([_column(name, bounds) for name, bounds in ranges.items()], float).T
    scaled = low + points * (high - low)
    columns = {name: np.ascontiguousarray(scaled[:, i]) for i, name in enumerate(ranges)}
    return Cases({name: columns[name] if name in columns else _column(name, [v] * count) for name, v in given.items()})


def _is_constant(values: Given) -> bool:
    """Whether there is one value for all cases instead of a list."""
    return isinstance(values, Table) or (np.ndim(values) == 0 and not isinstance(values, str | Sequence))


def _column(name: str, values: Given) -> AnyArray:
    """A list of numbers, of vectors or of tables as an array with one row for each case."""
    if isinstance(values, str | Table) or (np.ndim(values) == 0 and not isinstance(values, Sequence | np.ndarray)):
        raise SolveError(f"{name!r} needs a list with one value for each case, got {values!r}.")
    if any(isinstance(v, Table) for v in values):
        out = np.empty(len(values), dtype=object)
        out[:] = values
        if not all(isinstance(v, Table) for v in values):
            raise SolveError(f"{name!r} mixes tables with other values.")
        return out
    try:
        numbers = real_array(values)
    except (TypeError, ValueError):
        raise SolveError(f"{name!r} must have numbers, or vectors of one length, got {values!r}.") from None
    if not np.all(np.isfinite(numbers)):
        raise SolveError(
            f"{name!r} has a value that is not finite, in case {int(np.argwhere(~np.isfinite(numbers))[0][0])}."
        )
    return numbers


def _of_tables(column: AnyArray) -> bool:
    return column.dtype == object


def _numbered(column: AnyArray) -> AnyArray:
    places: dict[str, int] = {}
    return np.array([places.setdefault(t.digest, len(places)) for t in column], dtype=np.int64)
