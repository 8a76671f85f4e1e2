"""Sweeps: thousands of runs of one system, kept on disk as they end, on this machine or on a cluster.

cases.py says which runs, question.py what is kept of each, part.py runs some of them, store.py keeps results in a Zarr
store, cluster.py lets others run the parts, and run_sweep.py puts them together.
"""

from trundle.sweeps.cases import Cases, grid, latin_hypercube, sobol
from trundle.sweeps.run_sweep import sweep

__all__ = ["Cases", "grid", "latin_hypercube", "sobol", "sweep"]
