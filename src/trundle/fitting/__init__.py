"""Parameters and start values found from measured data: nonlinear least squares with derivatives of runs.

experiment.py holds what was measured, residuals.py compares runs with it, fit.py finds the values, and result.py says
how well they are known.
"""

from trundle.fitting.experiment import Experiment
from trundle.fitting.fit import fit
from trundle.fitting.result import Fit

__all__ = ["Experiment", "Fit", "fit"]
