"""A vehicle on its way along a line."""
