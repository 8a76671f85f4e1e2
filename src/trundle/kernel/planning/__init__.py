"""Preparation of a tape for its first call (compiled): value numbering, fused products, order of steps.

Compiled because a model has some ten thousand operations and the user waits for it.
"""
