"""Percussive dynamics: what happens inside a collision."""
