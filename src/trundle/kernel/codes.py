"""The operations of a tape: their names, and the integer codes used in its rows."""

OPERATIONS = (
    # inputs and constants
    "t", "x", "p", "const",
    # arithmetic
    "add", "sub", "mul", "div", "neg", "sqrt", "fabs", "floor", "ceil", "sign",
    # comparisons and choices
    "lt", "le", "eq", "ne", "and", "or", "not", "if_else_zero",
    # functions; the sine and the cosine of one angle are computed together
    "sincos", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "exp",
    "log", "log1p", "expm1", "erf", "pow", "fmin", "fmax", "fmod", "remainder", "copysign", "atan2", "hypot",
    # tables: see `tape.Operation`
    "root", "find", "item",
    # the numeric solver for active rows: see `tape.Operation`
    "buffer", "put", "solve", "get",
    # unrounded products and their sums: see `fuse`
    "product", "product_plus", "product_minus", "minus_product",
)  # fmt: skip
CODE = {name: code for code, name in enumerate(OPERATIONS)}

# Instructions of CasADi that are replaced by other operations when they are read.
SQUARE, TWICE, INVERSE, SAME, INPUT, OUTPUT = range(len(OPERATIONS), len(OPERATIONS) + 6)
"""a a; 2 a; 1 / a; a itself; one of the inputs; a number of the outputs."""
READ = {"sq": SQUARE, "twice": TWICE, "inv": INVERSE, "assign": SAME, "lift": SAME, "input": INPUT, "output": OUTPUT}
"""Codes by CasADi's names."""
