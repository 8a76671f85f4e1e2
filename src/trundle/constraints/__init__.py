"""Rows of constraint equations: closed loops, prescribed flows, measured coordinates, relaxed rows."""
