"""Estimation of parameters and start values from measured data: nonlinear least squares with derivatives of runs.

experiment.py has the measured data, residuals.py compares runs with them, fit.py finds the values, and result.py has
their uncertainty.
"""

from trundle.fitting.experiment import Experiment
from trundle.fitting.fit import fit
from trundle.fitting.result import Fit

__all__ = ["Experiment", "Fit", "fit"]
