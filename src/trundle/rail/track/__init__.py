"""The line: segments, alignment, irregularities, and the track frame that moves along it."""
