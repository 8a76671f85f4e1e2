"""Cases of a batch of trips that a single trip would refuse."""

from collections.abc import Callable, Collection

import numpy as np

from trundle.errors import SolveError
from trundle.rail.vehicle.travel import START
from trundle.typing import State, Values

OF_TRAVEL = ("speed", "acceleration", START)  # parameters on which it depends how far a trip goes


def refused_cases(parameters: Values, check: Callable[[Values], object]) -> dict[int, str]:
    """Why `check` refuses some of the cases, by index; SolveError where it refuses all of them."""
    try:
        check(parameters)
    except SolveError:
        varied = {name: np.asarray(parameters[name]) for name in OF_TRAVEL if np.ndim(parameters.get(name, 0.0))}
        if not varied:
            raise
    else:
        return {}
    found: dict[int, str] = {}
    count = min(len(values) for values in varied.values())
    for i in range(count):
        try:
            check({**parameters, **{name: values[i] for name, values in varied.items()}})
        except SolveError as fault:
            found[i] = str(fault)
    if len(found) == count:
        raise SolveError(f"all {count} cases are refused, the first: {found[0]}")
    return found


def with_others(parameters: Values, refused: Collection[int]) -> State:
    """Parameters in which a case that can run stands in place of each that is refused."""
    changed: State = dict(parameters)
    for name in OF_TRAVEL if refused else ():
        if np.ndim(parameters.get(name, 0.0)):
            values = np.array(parameters[name], float)
            values[list(refused)] = values[next(i for i in range(len(values)) if i not in refused)]
            changed[name] = values
    return changed
