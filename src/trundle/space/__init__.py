"""Geometry that is independent of models: rotations, screws, chains, inertia."""

from trundle.space.chain import Ball, Chain, Screw
from trundle.space.inertia import Inertia
from trundle.space.rotation import align_z, axis_vector, rotation

__all__ = ["Ball", "Chain", "Inertia", "Screw", "align_z", "axis_vector", "rotation"]
