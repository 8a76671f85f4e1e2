"""The power audit of one connection, body, force or bond, and of all energy flows, as datasets over time."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from trundle.equations.outputs.ports import EFFORTS, FLOWS, Element, Junction
from trundle.errors import UnknownNameError
from trundle.run.power_samples import PowerSamples
from trundle.typing import Array, Columns, ModelPart

if TYPE_CHECKING:
    import xarray as xr


def connection_audit(samples: PowerSamples, name: str) -> "xr.Dataset":
    """Flow, effort, power (W) and energy (J) of each bond of a connection, and what the two bodies receive."""
    j: Junction = _named(samples.ports.junctions, name, "connection")
    data: Columns = {}
    coords: Columns = {}
    if j.bonds:
        k, dims = 6 * samples.plan.bonded.index(name), ("time", "bond")
        power, energy = (v[:, k : k + 6] for v in (samples.bond_powers, samples.bond_energies))
        text = f"motion of {j.second!r} against {j.first!r}"
        data["flow"] = (dims, samples.of((name, "flow")), _about(FLOWS, text))
        text = f"force and moment on {j.second!r}"
        data["effort"] = (dims, samples.of((name, "effort")), _about(EFFORTS, text))
        data["power"] = (dims, power, _about("W", "power from the element of the bond to the two bodies"))
        data["energy"] = (dims, energy, _about("J", "energy given since the start"))
        coords = {"bond": list(j.bonds), "element": ("bond", list(j.elements))}
        sealed = _sealed(samples, name, j)
        if sealed is not None:
            coords["sealed"] = (dims, sealed, {"long_name": "element that the bond ends in at the time"})
    for word, body in (("first", j.first), ("second", j.second)):
        at = (name, f"power_to_{word}")
        data[f"power_to_{word}"] = ("time", samples.of(at), _about("W", f"power that {body!r} receives"))
        data[f"energy_to_{word}"] = ("time", samples.energies[at], _about("J", f"energy that {body!r} has received"))
    return _dataset(samples, data, coords, f"connection {name}", first=j.first, second=j.second)


def bond_audit(samples: PowerSamples, j: Junction, bond: str) -> "xr.Dataset":
    """One bond of a connection that no effort law acts on."""
    of_bond = connection_audit(samples, j.name)[["flow", "effort", "power", "energy"]].sel(bond=bond)
    return of_bond.assign_attrs(title=f"bond {j.name}.{bond}")


def _sealed(samples: PowerSamples, name: str, junction: Junction) -> Array | None:
    """What the bonds of a contact end in over time, where it opens, sticks or slides: friction that sticks is a flow
    constraint, friction that slides a resistance, an open contact has no efforts. None for others.
    """
    f = samples.run.formulation
    c = None if f is None else f.model.connections.get(name)
    if c is None or not (c.unilateral or (c.friction is not None and c.friction.sticks)):
        return None
    state = np.rint(samples.run.values(f"{name}.state")).astype(int).reshape(-1, 1)  # 0 open, 1 sliding, 2 sticking
    rubs = np.isin(junction.bonds, c.sliding)
    usual = np.array(junction.elements, dtype="<U5")
    return np.where(state == 0, "EC", np.where((state == 2) & rubs, "FC", usual))


def body_audit(samples: PowerSamples, name: str) -> "xr.Dataset":
    """Power (W) and energy (J) into a body by ports."""
    bodies = [*samples.ports.bodies, *samples.ports.frames]
    if name not in bodies:
        raise UnknownNameError(name, bodies, "body")
    ports = samples.plan.ports[name]
    power = np.column_stack([sign * samples.of(at) for at, sign in ports.values()])
    energy = np.column_stack([sign * samples.energies[at] for at, sign in ports.values()])
    data = {
        "power": (("time", "port"), power, _about("W", "power into the body")),
        "energy": (("time", "port"), energy, _about("J", "energy into the body since the start")),
    }
    return _dataset(samples, data, {"port": list(ports)}, f"body {name}")


def force_audit(samples: PowerSamples, name: str) -> "xr.Dataset":
    """Power that a force or law delivers to each body or connection, stores, dissipates and supplies."""
    e: Element = _named(samples.ports.elements, name, "force or law")
    receivers = [*e.junctions, *e.bodies]
    power = np.column_stack([samples.of((name, f"power_to_{r}")) for r in receivers])
    energy = np.column_stack([samples.energies[name, f"power_to_{r}"] for r in receivers])
    data: Columns = {
        "power": (("time", "receiver"), power, _about("W", "power into the receiver")),
        "energy": (("time", "receiver"), energy, _about("J", "energy into the receiver since the start")),
    }
    for what, text in (("stored", "stored"), ("lost", "lost"), ("supplied", "brought in from outside")):
        at = (name, what)
        data[what] = ("time", samples.of(at), _about("W", f"power {text}"))
        data[f"{what}_energy"] = ("time", samples.energies[at], _about("J", f"energy {text} since the start"))
    return _dataset(samples, data, {"receiver": receivers}, f"force {name}")


def energy_flows(samples: PowerSamples) -> "xr.Dataset":
    """Power and energy over time that every node gives to every junction; each junction adds to zero."""
    rows, powers, energies = [], [], []
    for junction, entries in samples.plan.shares.items():
        for entry in entries:
            rows.append((f"{entry.node} to {junction}", str(entry.node), entry.node.kind, str(junction)))
            powers.append(entry.power_sign * samples.of(entry.power))
            energies.append(entry.sign * samples.energies[entry.energy])
    ports, nodes, kinds, junctions = ([row[k] for row in rows] for k in range(4))
    data = {
        "power": (("time", "port"), np.column_stack(powers), _about("W", "power that the node gives")),
        "energy": (("time", "port"), np.column_stack(energies), _about("J", "energy given since the start")),
    }
    coords = {"port": ports, "node": ("port", nodes), "kind": ("port", kinds), "junction": ("port", junctions)}
    return _dataset(samples, data, coords, "energy flows")


def _dataset(samples: PowerSamples, data: Columns, coords: Columns, title: str, **attrs: str) -> "xr.Dataset":
    import xarray as xr

    time = ("time", samples.run.time, {"units": "s", "long_name": "time"})
    return xr.Dataset(data, {"time": time, **coords}, {"title": title, **attrs})


def _about(unit: str, text: str) -> dict[str, str]:
    return {"units": unit, "long_name": text}


def _named(known: Iterable[ModelPart], name: str, what: str) -> ModelPart:
    names = {each.name: each for each in known}
    if name not in names:
        raise UnknownNameError(name, names, what)
    return names[name]
