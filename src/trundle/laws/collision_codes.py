"""Numbers by which the compiled collision knows the laws of restitution and the treatments of several contacts."""

NEWTON, POISSON, STRONGE = range(3)
SEQUENTIAL, SIMULTANEOUS, COMPLIANT = range(3)
TREATMENTS = {"sequential": SEQUENTIAL, "simultaneous": SIMULTANEOUS, "compliant": COMPLIANT}
"""How several contacts of one collision are treated: one after the other, all at once, or by springs between them."""
