"""What holds: expressions for mass matrix, bias, constraints, energy."""
