"""Looking up numbers in tables: tables in memory, and the look-up as a node of an expression."""
