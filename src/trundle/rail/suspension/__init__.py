"""Suspensions: elements between two bodies of a vehicle, each with its stored and dissipated energy."""
