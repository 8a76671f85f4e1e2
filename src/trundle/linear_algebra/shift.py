"""The shift that regularises redundant rows: see `kkt`."""

REDUNDANT = 1e-6  # smallest shift of rows that several contacts share
REFINEMENTS = 3  # of multipliers with that shift
HIDDEN = 10.0  # times that shift: a smaller determinant counts as zero
