"""What can be asked of the equations: signals, reactions, powers, quantities."""
