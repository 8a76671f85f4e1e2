"""Names and layouts of states, parameters, start values and results."""
