"""The equations of a model as expressions: mass matrix, bias, constraints, energy."""
