"""The shift that regularises redundant rows: see `kkt`."""

REDUNDANT = 1e-6  # smallest shift of rows that several contacts share
REFINEMENTS = 3  # of multipliers with that shift
UNEVEN = 8  # the same where weights of rows differ by orders of magnitude
HIDDEN = 10.0  # times that shift: a smaller determinant counts as zero
