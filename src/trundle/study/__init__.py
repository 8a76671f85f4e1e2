"""Studies of a system: start, run, batch, equilibrium, linearisation, stability, periodic motion, trace."""
