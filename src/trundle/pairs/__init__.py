"""Kinematic pairs as chains of screws."""

from typing import TYPE_CHECKING

from trundle.messages.late_names import import_when_used
from trundle.pairs.osculating import osculating
from trundle.pairs.screw_position import screw_position

if TYPE_CHECKING:
    from trundle.pairs.classification import Classification, classify
    from trundle.pairs.discover import edges, lower_pairs, surfaces
    from trundle.pairs.edge import CircleEdge, HelixEdge, LineEdge, Vertex
    from trundle.pairs.ellipsoid import Ellipsoid
    from trundle.pairs.from_chain import recognise
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
    from trundle.pairs.normal_conditions import Condition, conditions
    from trundle.pairs.osculating import Osculating
    from trundle.pairs.parametric import ParametricSurface
    from trundle.pairs.revolved import Revolved
    from trundle.pairs.surface import Cone, Cylinder, Plane, Sphere, SpiralColumn, Surface, TangentSurface, Torus
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
_NAMES = {
    "trundle.pairs.classification": "Classification classify",
    "trundle.pairs.discover": "edges lower_pairs surfaces",
    "trundle.pairs.edge": "CircleEdge HelixEdge LineEdge Vertex",
    "trundle.pairs.ellipsoid": "Ellipsoid",
    "trundle.pairs.from_chain": "recognise",
    "trundle.pairs.geometry": "Moved",
    "trundle.pairs.higher": "HigherPair",
    "trundle.pairs.lower": "Cylindrical Fixed Free Helical Pair Planar Prismatic Revolute Spherical Universal",
    "trundle.pairs.normal_conditions": "Condition conditions",
    "trundle.pairs.osculating": "Osculating",
    "trundle.pairs.parametric": "ParametricSurface",
    "trundle.pairs.revolved": "Revolved",
    "trundle.pairs.surface": "Cone Cylinder Plane Sphere SpiralColumn Surface TangentSurface Torus",
    "trundle.pairs.tabulate": "Row table",
}
import_when_used(globals(), _NAMES)
