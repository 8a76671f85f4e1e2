"""The line: segments, alignment, irregularities, and the track frame that goes along it."""
