"""Vehicles: the force between wheel and rail, wheelsets, suspensions, and what is built of them."""
