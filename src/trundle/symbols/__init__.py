"""CasADi's symbols: those of parameters, faster arithmetic with them, and the instructions of their functions."""
