"""What happened: results with names, units and provenance."""
