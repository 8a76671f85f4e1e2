"""Wheel on rail without a vehicle: profiles, contact geometry and its table, Hertz, Kalker, creep laws."""
