"""A vehicle that runs along a line."""
