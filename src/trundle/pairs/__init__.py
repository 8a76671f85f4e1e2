"""Kinematic pairs as chains of screws."""

from typing import TYPE_CHECKING, Any

from trundle.messages.arguments import explain_module_calls, unknown_name
from trundle.pairs import belt, bevel, cam, gear, planar, rack, swept  # noqa: F401  so that `discover` finds their classes
from trundle.pairs.discover import edges, lower_pairs, surfaces
from trundle.pairs.edge import CircleEdge, HelixEdge, LineEdge, Vertex
from trundle.pairs.ellipsoid import Ellipsoid
from trundle.pairs.geometry import Moved
from trundle.pairs.higher import HigherPair
from trundle.pairs.lower import (
    Cylindrical,
    Fixed,
    Free,
    Helical,
    Pair,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    Universal,
)
from trundle.pairs.osculating import Osculating, osculating
from trundle.pairs.parametric import ParametricSurface
from trundle.pairs.revolved import Revolved
from trundle.pairs.screw_position import screw_position
from trundle.pairs.surface import (
    Cone,
    Cylinder,
    Plane,
    Sphere,
    SpiralColumn,
    Surface,
    TangentSurface,
    Torus,
)

if TYPE_CHECKING:
    from trundle.pairs.classification import Classification, classify
    from trundle.pairs.from_chain import recognise
    from trundle.pairs.normal_conditions import Condition, conditions
    from trundle.pairs.tabulate import Row, table

__all__ = [
    "CircleEdge",
    "Classification",
    "Condition",
    "Cone",
    "Cylinder",
    "Cylindrical",
    "Ellipsoid",
    "Fixed",
    "Free",
    "Helical",
    "HelixEdge",
    "HigherPair",
    "LineEdge",
    "Moved",
    "Osculating",
    "Pair",
    "ParametricSurface",
    "Planar",
    "Plane",
    "Prismatic",
    "Revolute",
    "Revolved",
    "Row",
    "Sphere",
    "Spherical",
    "SpiralColumn",
    "Surface",
    "TangentSurface",
    "Torus",
    "Universal",
    "Vertex",
    "classify",
    "conditions",
    "edges",
    "lower_pairs",
    "osculating",
    "recognise",
    "screw_position",
    "surfaces",
    "table",
]
explain_module_calls(globals(), __all__)

_LATE = {
    "Classification": "classification",
    "Condition": "normal_conditions",
    "Row": "tabulate",
    "classify": "classification",
    "conditions": "normal_conditions",
    "recognise": "from_chain",
    "table": "tabulate",
}


def __getattr__(name: str) -> Any:
    """Functions for the analysis of pairs are imported on first use; most models do not need them."""
    if name not in _LATE:
        raise unknown_name("trundle.pairs", name, __all__, {}, "pairs")
    from importlib import import_module

    globals()[name] = getattr(import_module(f"trundle.pairs.{_LATE[name]}"), name)
    explain_module_calls(globals(), [name])
    return globals()[name]
