"""What the file of a run holds, without xarray, which takes 0.2 s to import."""

from typing import TYPE_CHECKING

import numpy as np

from trundle.run.provenance import about
from trundle.run.quantities import TIME, attributes, dimension
from trundle.run.write_netcdf import Content, Variable
from trundle.typing import Settings

if TYPE_CHECKING:
    from trundle.run.run import Run


def content(run: "Run", more: Settings) -> Content:
    """The dataset of a run that was simulated, with more attributes."""
    assert run.formulation is not None
    variables = {"time": Variable(("time",), run.time, TIME)}
    beside: dict[str, str] = {}
    for name in (*([run.along] if run.along else []), *run.kept):
        q = run.formulation.register.get(name).quantity
        dims: tuple[str, ...] = ("time",)
        if q.labels:
            dims = "time", dimension(q)
            variables.setdefault(dims[1], Variable(dims[1:], np.array(q.labels), {}))
        variables[name] = Variable(dims, run.values(name), attributes(q) | beside)
        if name == run.along:
            beside = {"coordinates": name}
    sizes = {name: len(one.values) for name, one in variables.items() if one.dims == (name,)}
    return Content(sizes, variables, {**about(run), **more})
