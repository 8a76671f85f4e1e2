"""Lists of all joints and surfaces, including user-defined ones, for model files, tables and conformance tests."""

from typing import TypeVar

from trundle.pairs import belt, bevel, cam, ellipsoid, gear, parametric, planar, rack, revolved, swept  # noqa: F401  found
from trundle.pairs.higher import ContactPair
from trundle.pairs.lower import Pair
from trundle.pairs.surface import Surface
from trundle.typing import Kind

T = TypeVar("T")


def final_classes(base: type[T], of_user: bool = True) -> tuple[type[T], ...]:
    """All subclasses of `base` marked `@final`, in the order of their definition; with those of the user, unless
    `of_user` is False.
    """
    found: dict[type[T], None] = {}  # a class with two bases comes once
    _collect(base, of_user, found)
    return tuple(found)


def _collect(base: type[T], of_user: bool, found: dict[type[T], None]) -> None:
    for one in base.__subclasses__():
        if "__final__" in one.__dict__ and (of_user or one.__module__.startswith("trundle.")):
            found[one] = None
        _collect(one, of_user, found)


def lower_pairs(of_user: bool = True) -> tuple[type[Pair], ...]:
    """All joints of imported modules that can be used by name.

    Parameters
    ----------
    of_user : bool
        Also classes from outside this package.

    Returns
    -------
    tuple of type
    """
    return tuple(p for p in final_classes(Pair, of_user) if p.by_name and not issubclass(p, ContactPair))


def surfaces(of_user: bool = True) -> tuple[type[Surface], ...]:
    """All surfaces that a HigherPair accepts by name.

    Parameters
    ----------
    of_user : bool
        Also classes from outside this package.

    Returns
    -------
    tuple of type
    """
    return tuple(s for s in _spatial(of_user) if s.dimension == 2)


def edges(of_user: bool = True) -> tuple[type[Surface], ...]:
    """All edges, and the vertex.

    Parameters
    ----------
    of_user : bool
        Also classes from outside this package.

    Returns
    -------
    tuple of type
    """
    return tuple(s for s in _spatial(of_user) if s.dimension < 2)


def _spatial(of_user: bool) -> tuple[Kind, ...]:
    return tuple(s for s in final_classes(Surface, of_user) if s.by_name and not s.planar)
