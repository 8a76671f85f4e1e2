"""The equations: expressions for mass matrix, bias, constraints, energy."""
