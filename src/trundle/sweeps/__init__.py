"""Sweeps: thousands of runs of one system, stored on disk as they finish, on this machine or on a cluster.

cases.py defines the runs, question.py the quantities that are stored, part.py runs some of the cases, store.py writes
results to a Zarr store, cluster.py runs parts on other machines, and run_sweep.py combines all this.
"""

from trundle.sweeps.cases import Cases, grid, latin_hypercube, sobol
from trundle.sweeps.run_sweep import sweep

__all__ = ["Cases", "grid", "latin_hypercube", "sobol", "sweep"]
