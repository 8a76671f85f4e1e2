"""Suspensions: elements between two bodies of a vehicle, each with the energy it stores and loses."""
