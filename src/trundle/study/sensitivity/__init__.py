"""How a run changes with its parameters and start values: variational equations, and what events do to them."""
