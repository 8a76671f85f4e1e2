"""What contacts do: stick or slide, open or close, press on one side or the other.

A kind of mode is one class: the numbers that it keeps, the transitions that it watches for, what changes then, and how
it begins. The numbers stand among the parameters of the kernels, events watch for the transitions and jumps change the
numbers, all in the compiled loop.
"""
