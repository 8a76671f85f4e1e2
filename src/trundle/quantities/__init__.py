"""What a model can be asked and given by name: states, parameters, start values, results."""
