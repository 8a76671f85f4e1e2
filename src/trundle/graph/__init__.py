"""What the model is: spanning tree, loops, freedoms."""

from trundle.graph.layout import Coordinate, Layout, lay_out
from trundle.graph.topology import Loop, Topology, TreeJoint, find_topology

__all__ = ["Coordinate", "Layout", "Loop", "Topology", "TreeJoint", "find_topology", "lay_out"]
