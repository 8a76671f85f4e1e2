"""Summary of a run as plain text: ending, cost, energy balance, coordinates, events."""

import json
import sys
from shutil import get_terminal_size
from textwrap import fill
from typing import TYPE_CHECKING

import numpy as np

from trundle.lookup.signal import zero_signal
from trundle.model.input import signal_name
from trundle.run.provenance import provenance
from trundle.typing import AnyArray, Json

if TYPE_CHECKING:
    from trundle.run.run import Run

MOST = 12  # lines of one kind before the rest is only counted
LABEL = 14  # width of the first column
WIDTH = 110  # of the block, or that of a narrower terminal; longer sentences are wrapped
TABLES = ((6, 10, 2), (6, 0, 2), (4, 0, 1))  # digits, least width and gap of columns: the first that fits
ROUND_OFF = 1e-15  # of the largest value of a coordinate: what is shown as zero
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
    width = min(WIDTH, get_terminal_size().columns) if sys.stdout.isatty() else WIDTH
    lines = [*_head(run, facts, width), "", *_coordinates(run, width)]
    lines += _list("events", [f"{t:<12.6g} s  {name}" for name, t in run.events], width)
    passages = [f"{t:<12.6g} s  loop {loop}, measure {value:.1e}" for loop, t, value in run.near_singular]
    lines += _list("near singular", passages, width)
    return "\n".join(line.rstrip() for line in lines)


def _head(run: "Run", facts: Json, width: int) -> list[str]:
    t = run.time
    energy = run.energy
    counts = [f"{facts[key]} {word}" for key, word in COUNTS.items() if facts.get(key)]
    balance = f"balance closes to {energy.drift:.1e} of the {energy.scale:.4g} J exchanged"
    if energy.scale < 1e-200:
        balance = "none was exchanged"
    digests: dict[str, str] = json.loads(str(facts.get("tables", "{}")))
    inputs = {
        name: _input(name, value, digests) for name, value in run.parameters.items() if signal_name(name) in digests
    }
    digests = {name: digest for name, digest in digests.items() if name not in map(signal_name, inputs)}
    rows = [
        ("model", str(facts["title"])),
        ("time", f"{t[0]:g} to {t[-1]:g} s, {len(t)} samples"),
        ("outcome", run.outcome),
        ("method", _method(run.settings)),
        ("work", ", ".join(counts)),
        ("energy", balance),
        (
            "parameters",
            ", ".join(f"{name} = {value:g}" for name, value in run.parameters.items() if name not in inputs),
        ),
        ("inputs", ", ".join(inputs.values())),
        ("tables", ", ".join(f"{name} ({digest[:12]})" for name, digest in digests.items())),
    ]
    rows[3:3] = [("warning", text) for text in run.warnings]
    lines = [_row(label, text, width) for label, text in rows if text]
    report = str(facts.get("start_report", "")).splitlines()
    return lines + _shortened("start", report, width)


def _input(name: str, level: float, digests: dict[str, str]) -> str:
    """An input as its number, or as the signal that it was given."""
    digest = digests[signal_name(name)]
    return f"{name} = {level:g}" if digest == zero_signal().digest else f"{signal_name(name)} ({digest[:12]})"


def _row(label: str, text: str, width: int) -> str:
    return f"{label:<{LABEL}}" + fill(text, width - LABEL).replace("\n", "\n" + " " * LABEL)


def _method(settings: Json) -> str:
    words = [str(settings[key]) for key in ("method", "formalism") if key in settings]
    words += [f"{key} {_tolerance(settings[key])}" for key in ("rtol", "atol") if key in settings]
    return ", ".join(words)


def _tolerance(value: object) -> str:
    """A tolerance, or those of all units."""
    return ", ".join(f"{v:.3g} {u}" for u, v in value.items()) if isinstance(value, dict) else f"{value:g}"


def _coordinates(run: "Run", width: int) -> list[str]:
    """Table of the coordinates: first, last, smallest and largest value."""
    for digits, least, gap in TABLES:
        lines = _table(run, digits, least, gap)
        if max(map(len, lines)) <= width:
            break
    return lines


def _table(run: "Run", digits: int, least: int, gap: int) -> list[str]:
    rows: list[tuple[str, ...]] = [("coordinate", "unit", "first", "last", "smallest", "largest")]
    parts = [part for name in run.coordinates for part in _parts(run, name)]
    for name, unit, values in parts[:MOST]:
        finite = values[np.isfinite(values)]
        ends = (values[0], values[-1], finite.min(), finite.max()) if finite.size else (np.nan,) * 4
        noise = ROUND_OFF * np.abs(finite).max(initial=0.0)
        rows.append((name, unit, *(f"{0.0 if abs(v) < noise else v:.{digits}g}" for v in ends)))
    widths = [max(len(row[i]) for row in rows) for i in range(6)]
    lines = []
    for row in rows:
        left = [cell.ljust(width) for cell, width in zip(row[:2], widths[:2], strict=True)]
        right = [cell.rjust(max(width, least)) for cell, width in zip(row[2:], widths[2:], strict=True)]
        lines.append((" " * gap).join(left + right))
    if len(parts) > MOST:
        lines.append(f"... and {len(parts) - MOST} more")
    return lines


def _parts(run: "Run", name: str) -> list[tuple[str, str, AnyArray]]:
    """A coordinate, or the components of a quaternion, as (name, unit, values)."""
    values, unit, labels = run.values(name), run.unit(name), run.component_labels(name)
    if not labels:
        return [(name, unit, values)]
    return [(f"{name}_{label}", unit, values[:, i]) for i, label in enumerate(labels)]


def _list(label: str, items: list[str], width: int) -> list[str]:
    return ["", *_shortened(label, items, width)] if items else []


def _shortened(label: str, items: list[str], width: int) -> list[str]:
    rest = [f"... and {len(items) - MOST} more"] if len(items) > MOST else []
    return [_row(label if i == 0 else "", item, width) for i, item in enumerate(items[:MOST] + rest)]
