"""Questions put to a system: start, run, batch, equilibrium, linearisation, stability, periodic motion, trace."""
