"""Tables: their layout in memory, and the look-up as a node of an expression."""
