"""Vehicles: the force between wheel and rail, wheelsets, bogies, and vehicles built from them."""
