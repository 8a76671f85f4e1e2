"""Dynamics of relative motion along a run: forces of inertia, external and imaginary ones on every speed."""

from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from trundle.equations.formulation import Formulation
from trundle.equations.relative import generalised_forces
from trundle.equations.relative import inertial_residual as residual_of
from trundle.errors import ModelError
from trundle.kernel import evaluate
from trundle.linear_algebra.kkt import dense
from trundle.model.imaginary import KINDS
from trundle.typing import Array, Columns, TapeFunction

if TYPE_CHECKING:
    import xarray as xr

    from trundle.run.run import Run

ON = ("speeds", "independent")


def relative_dynamics(f: Formulation, run: "Run", on: str = "speeds") -> "xr.Dataset":
    """Generalised forces along a run.

    Parameters
    ----------
    run : Run
        Of this system.
    on : {"speeds", "independent"}
        All speeds of the tree; or those that constraints leave free, on which the forces of the tree are
        F_r + sum F_s B_sr with the rates u_s = sum B_sr u_r of the others [Zboinski 2011, Eqs. 60 to 62, corrected], so
        that constraint forces are gone.

    Returns
    -------
    xarray.Dataset
        `inertia` (against the frames) and `external` by body, speed and time, `imaginary` by kind too, `efforts` of
        laws and drives along coordinates and `constraints` by speed and time; they add to zero on every speed.
    """
    import xarray as xr

    if on not in ON:
        raise ModelError(f"on={on!r}: forces act on {' or '.join(map(repr, ON))}.")
    if not f.in_joints:
        raise ModelError(
            "generalised forces belong to the speeds of joints: build with formalism='kane'. Imaginary forces and "
            "moments of bodies (run['car.imaginary_rotation_moment']) are known in every formalism."
        )
    t, x, p = states(f, run)
    bodies, n = [b.name for b in f.equations.inertias], f.n_u
    kernel = f.kernels("relative", _kernels)["forces"]
    values = evaluate(kernel, kernel, t, x, p).reshape(len(t), -1, n)
    names, units = f.layout.speed_names(), _units(f)
    if on == "independent":
        keep = list(f.mobility.independent)
        values = np.einsum("tfs,tsr->tfr", values, _reduction(f, t, x, p, keep))
        names, units = [names[i] for i in keep], [units[i] for i in keep]
    m, k = len(bodies), len(KINDS)
    parts = np.split(values, [m, 2 * m, 2 * m + m * k, 2 * m + m * k + 1], axis=1)
    inertia, external, imaginary, efforts, constraints = (part.transpose(1, 2, 0) for part in parts)
    about = {"long_name": "generalised force, in the unit of its speed's coordinate `unit`"}
    by_body = ("body", "speed", "time")
    data: Columns = {
        "inertia": (by_body, inertia, about),
        "external": (by_body, external, about),
        "imaginary": (("body", "kind", "speed", "time"), imaginary.reshape(m, k, len(names), len(t)), about),
        "efforts": (("speed", "time"), efforts[0], about),
        "constraints": (("speed", "time"), constraints[0], about),
    }
    return xr.Dataset(data, {"body": bodies, "kind": list(KINDS), "speed": names, "unit": ("speed", units), "time": t})


def inertial_residual(f: Formulation, run: "Run") -> "xr.DataArray":
    """Residual of m p'' = F and dL/dt = M in the ground, projected on the speeds, relative to the largest term in the
    run; dimensions speed and time.
    """
    import xarray as xr

    t, x, p = states(f, run)
    kernel = f.kernels("inertial residual", _residual_kernel)["residual"]
    values = evaluate(kernel, kernel, t, x, p)
    left, size = values[:, : f.n_u], values[:, f.n_u :]
    scale = np.max(size, axis=0)
    found = left / np.where(scale > 0, scale, 1.0)
    names = f.layout.speed_names() if f.in_joints else [str(i) for i in range(f.n_u)]
    return xr.DataArray(found.T, {"speed": names, "time": t}, ("speed", "time"), "inertial residual")


def states(f: Formulation, run: "Run") -> tuple[Array, Array, Array]:
    """Times, states and parameters of a run of this formulation."""
    if run.formulation is None or run.raw is None:
        raise ModelError("a run from a file has no states: simulate again for forces along it.")
    if run.formulation.formalism != f.formalism or run.formulation.spec != f.spec:
        raise ModelError("this run is of another system; use run.system, or simulate with this one.")
    return run.raw


def _kernels(f: Formulation) -> dict[str, TapeFunction]:
    found = generalised_forces(f.functions)
    by_kind = [force for kinds in found.imaginary for force in kinds]
    columns = [*found.inertia, *found.external, *by_kind, found.efforts, found.constraints]
    return {"forces": f.functions.function("forces", *columns)}


def _residual_kernel(f: Formulation) -> dict[str, TapeFunction]:
    return {"residual": f.functions.function("residual", *residual_of(f.functions))}


def _reduction(f: Formulation, t: Array, x: Array, p: Array, keep: list[int]) -> Array:
    """All speeds per unit of the independent ones, at every state."""
    functions, n = f.functions, f.n_u
    rows = [r for r in functions.independent if r.active is None]
    if not rows:
        return np.broadcast_to(np.eye(n), (len(t), n, n))
    J = ca.vertcat(*[dense(r.jacobian, n).T for r in rows])
    kernel = f.kernels("constraint rows", lambda f: {"rows": functions.function("rows", J.T)})["rows"]
    at = evaluate(kernel, kernel, t, x, p).reshape(len(t), len(rows), n)
    others = [i for i in range(n) if i not in keep]
    out = np.zeros((len(t), n, len(keep)))
    out[:, keep, range(len(keep))] = 1.0
    out[:, others] = -np.linalg.solve(at[:, :, others], at[:, :, keep])
    return out


def _units(f: Formulation) -> list[str]:
    return [("N m" if c.unit in ("rad", "") else "N") for c in f.layout.coordinates for _ in range(c.n_u)]
