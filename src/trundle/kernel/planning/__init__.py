"""What is done with a tape between CasADi and its first call (compiled): number values, fuse products, plan steps.

A model has some ten thousand operations, and somebody waits for it.
"""
