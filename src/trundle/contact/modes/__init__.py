"""Modes of contacts: sticking or sliding, open or closed, pressing on one side or the other.

A kind of mode is one class: its variables, the transitions to be detected, the changes at a transition, and the initial
mode. The variables are among the parameters of the kernels; events detect the transitions and jumps change the
variables, all in the compiled loop.
"""
