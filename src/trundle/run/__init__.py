"""Results of runs, with names, units and provenance."""
