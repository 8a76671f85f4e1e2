"""Linear algebra on the tape and in numbers: KKT systems, ranks, pseudo-inverses."""
