"""Outputs of the equations: signals, reactions, powers, quantities."""
