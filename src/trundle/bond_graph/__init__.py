"""The multibond graph of a built model: ports, junctions, seals and their causality."""
