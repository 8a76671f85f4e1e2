"""Tools for those who work on Trundle; not installed with it."""
