"""Poses of a mechanism along a driven coordinate, without time."""
