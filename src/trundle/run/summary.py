"""A run in a few lines of plain text: how it ended, what it cost, how well energy balances, where it went."""

import json
from textwrap import fill
from typing import TYPE_CHECKING

import numpy as np

from trundle.run.provenance import provenance
from trundle.typing import AnyArray, Json

if TYPE_CHECKING:
    from trundle.run.run import Run

MOST = 12  # lines of one kind before the rest is only counted
LABEL = 14  # width of the first column
WIDTH = 110  # of the block; longer sentences are wrapped
COUNTS = {
    "count_steps": "steps",
    "count_rejected": "rejected",
    "count_rhs": "evaluations",
    "count_projections": "projections",
    "count_jacobians": "Jacobians",
    "count_factorisations": "factorisations",
}


def summary(run: "Run") -> str:
    """Readable block for the terminal; the same for a run just made and for one read from a file."""
    facts = provenance(run)
    lines = [*_head(run, facts), "", *_coordinates(run)]
    lines += _list("events", [f"{t:<12.6g} s  {name}" for name, t in run.events])
    passages = [f"{t:<12.6g} s  loop {loop}, measure {value:.1e}" for loop, t, value in run.near_singular]
    lines += _list("near singular", passages)
    return "\n".join(line.rstrip() for line in lines)


def _head(run: "Run", facts: Json) -> list[str]:
    t = run.time
    energy = run.energy
    counts = [f"{facts[key]} {word}" for key, word in COUNTS.items() if facts.get(key)]
    balance = f"balance closes to {energy.drift:.1e} of the {energy.scale:.4g} J exchanged"
    if energy.scale < 1e-200:
        balance = "none was exchanged"
    digests: dict[str, str] = json.loads(str(facts.get("tables", "{}")))
    rows = [
        ("model", str(facts["title"])),
        ("time", f"{t[0]:g} to {t[-1]:g} s, {len(t)} samples"),
        ("outcome", run.outcome),
        ("method", _method(run.settings)),
        ("work", ", ".join(counts)),
        ("energy", balance),
        ("parameters", ", ".join(f"{name} = {value:g}" for name, value in run.parameters.items())),
        ("tables", ", ".join(f"{name} ({digest[:12]})" for name, digest in digests.items())),
    ]
    rows[3:3] = [("warning", text) for text in run.warnings]
    lines = [fill(f"{label:<{LABEL}}{text}", WIDTH, subsequent_indent=" " * LABEL) for label, text in rows if text]
    report = str(facts.get("start_report", "")).splitlines()
    return lines + _shortened("start", report)


def _method(settings: Json) -> str:
    words = [str(settings[key]) for key in ("method", "formalism") if key in settings]
    words += [f"{key} {_tolerance(settings[key])}" for key in ("rtol", "atol") if key in settings]
    return ", ".join(words)


def _tolerance(value: object) -> str:
    """A tolerance, or those of all units."""
    return ", ".join(f"{v:.3g} {u}" for u, v in value.items()) if isinstance(value, dict) else f"{value:g}"


def _coordinates(run: "Run") -> list[str]:
    """Table of the coordinates: first, last, smallest and largest value."""
    rows: list[tuple[str, ...]] = [("coordinate", "unit", "first", "last", "smallest", "largest")]
    parts = [part for name in run.coordinates for part in _parts(run, name)]
    for name, unit, values in parts[:MOST]:
        finite = values[np.isfinite(values)]
        ends = (values[0], values[-1], finite.min(), finite.max()) if finite.size else (np.nan,) * 4
        rows.append((name, unit, *(f"{v:.6g}" for v in ends)))
    widths = [max(len(row[i]) for row in rows) for i in range(6)]
    lines = []
    for row in rows:
        left = [cell.ljust(width) for cell, width in zip(row[:2], widths[:2], strict=True)]
        right = [cell.rjust(max(width, 10)) for cell, width in zip(row[2:], widths[2:], strict=True)]
        lines.append("  ".join(left + right))
    if len(parts) > MOST:
        lines.append(f"... and {len(parts) - MOST} more")
    return lines


def _parts(run: "Run", name: str) -> list[tuple[str, str, AnyArray]]:
    """A coordinate, or the components of a quaternion, as (name, unit, values)."""
    values, unit, labels = run.values(name), run.unit(name), run.component_labels(name)
    if not labels:
        return [(name, unit, values)]
    return [(f"{name}_{label}", unit, values[:, i]) for i, label in enumerate(labels)]


def _list(label: str, items: list[str]) -> list[str]:
    return ["", *_shortened(label, items)] if items else []


def _shortened(label: str, items: list[str]) -> list[str]:
    rest = [f"... and {len(items) - MOST} more"] if len(items) > MOST else []
    return [f"{label if i == 0 else '':<{LABEL}}{item}" for i, item in enumerate(items[:MOST] + rest)]
