"""Topology of a model: spanning tree and loops."""

from trundle.graph.topology import Loop, Topology, TreeJoint, find_topology

__all__ = ["Loop", "Topology", "TreeJoint", "find_topology"]
