"""Analyses of a vehicle on a line: curving, stability, safety, comfort."""
