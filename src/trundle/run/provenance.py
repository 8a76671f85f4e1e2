"""Provenance of a run as attributes of its dataset: model, settings, work done, ending, software."""

import json
import platform
from dataclasses import asdict
from typing import TYPE_CHECKING

import numpy as np

from trundle.equations.formulation import Formulation
from trundle.typing import Array, Json, Settings, Value
from trundle.version import __version__

if TYPE_CHECKING:
    from trundle.run.run import Run

Attribute = str | float | int


def about(run: "Run") -> dict[str, Attribute]:
    """Attributes of the dataset: provenance, and the audit of power if it is kept."""
    return provenance(run) | (run.power.attributes if run.power.kept else {})


def provenance(run: "Run") -> dict[str, Attribute]:
    """Enough to understand the run without its model; lists and tables are JSON."""
    if run.formulation is None:
        return {str(k): v for k, v in run.stored_attrs.items()}
    from trundle.run.geometry import geometry

    settings: Settings = run.settings
    found: dict[str, Attribute] = {
        "Conventions": "CF-1.10",
        "title": run.formulation.model.name,
        "source": f"Trundle {__version__}",
        "date_created": run.created,
        "model_fingerprint": run.formulation.spec.key,
        "outcome": run.outcome,
        "t_end": float(run.time[-1] if run.trajectory is None else run.trajectory.t_end),
        **{name: _attribute(settings[name]) for name in ("formalism", "method", "rtol", "atol") if name in settings},
        "settings": as_json(settings),
        "parameters": as_json(run.parameters),
    }
    if run.tables:
        found["tables"] = as_json({name: table.digest for name, table in run.tables.items()})
    if run.trajectory is not None:
        found |= {f"count_{name}": int(count) for name, count in asdict(run.trajectory.counts).items()}
    if run.initial is not None:
        found["start"] = as_json(_start_values(run.formulation, run.initial.q, run.initial.u))
        found["start_report"] = run.initial.report()
    changes = {event.name: (event.contact, event.kind) for event in run.events if event.contact}
    return found | {
        "joint_coordinates": as_json(run.coordinates),
        "short_names": as_json(run.aliases),
        "events": as_json(run.events),
        "contact_events": as_json(changes),
        "near_singular": as_json(run.near_singular),
        "warnings": as_json(run.warnings),
        "jump_times": as_json(run.jump_times),
        "geometry": as_json(geometry(run)),
        "python": platform.python_version(),
        "numpy": np.__version__,
    }


def _attribute(value: Value) -> Attribute:
    """Numbers and words as they are, tolerances by unit as JSON."""
    return as_json(value) if isinstance(value, dict) else value


def as_json(value: object) -> str:
    """Text that gives back the same numbers, also those that are not finite."""
    return json.dumps(value, default=_plain, ensure_ascii=False)


def _plain(value: object) -> Value:
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else str(value)


def _start_values(f: Formulation, q: Array, u: Array) -> Json:
    """The consistent start by name: given to `simulate` again, it repeats the run."""
    found = f.layout.values(np.concatenate([q, u])[None, :])
    return {name: float(v[0, 0]) if v.shape[1] == 1 else v[0] for name, v in found.items()}
