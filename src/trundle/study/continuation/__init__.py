"""Branches of equilibria, steady motions and periodic motions over a parameter."""
