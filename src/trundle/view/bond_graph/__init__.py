"""A multibond graph as a picture: bodies in columns by their distance from the ground, connections between them."""

from trundle.view.bond_graph.layout import Layout, lay_out
from trundle.view.bond_graph.svg import to_svg

__all__ = ["Layout", "lay_out", "to_svg"]
