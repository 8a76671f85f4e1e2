"""The visible contents of a run as plain arrays, for all renderers."""
