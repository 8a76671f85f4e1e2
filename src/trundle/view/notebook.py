"""Representations of models, systems, runs, batches and linearisations in notebooks, as HTML."""

from collections import Counter
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Final

from trundle.bond_graph.seal_rows import HEADER, seal_rows
from trundle.typing import ModelPart
from trundle.view.units import pretty

if TYPE_CHECKING:
    from trundle.model.model import Model
    from trundle.run.batch import BatchRun
    from trundle.run.run import Run
    from trundle.study.linearise import Linearisation
    from trundle.system import System

FRAMES: Final = 240  # poses of a run in a notebook
MOST: Final = 60  # rows of a table
SPACED: Final = 'style="border-collapse:separate;border-spacing:12px 1px"'


def table_html(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A table; a long one is cut, with the number of its rows."""

    def cells(row: Sequence[object], tag: str) -> str:
        return "".join(f'<{tag} style="text-align:left">{escape(str(cell))}</{tag}>' for cell in row)

    body = "".join(f"<tr>{cells(row, 'td')}</tr>" for row in rows[:MOST])
    more = f"<p>... and {len(rows) - MOST} more</p>" if len(rows) > MOST else ""
    return f"<table {SPACED}><thead><tr>{cells(header, 'th')}</tr></thead><tbody>{body}</tbody></table>{more}"


def _folded(title: str, content: str, open_: bool = False) -> str:
    return f"<details{' open' if open_ else ''}><summary>{escape(title)}</summary>{content}</details>"


def model_html(m: "Model") -> str:
    """Bodies, connections, forces and parameters."""
    bodies = [
        (b.name, _text(b.mass), _text(b.inertia), _text(b.com), b.moves) for b in m.bodies.values() if not b.is_at_rest
    ]
    joints = [(c.name, c.kind, c.first.body.name, c.second.body.name, _laws(c)) for c in m.connections.values()]
    forces = [(name, force.title) for name, force in m.forces.items()]
    every = [(p.name, f"{p.value:g}", pretty(p.unit), p.text) for p in m.parameters.values()]
    numbers, inputs = ([row for row in every if (row[0] in m.inputs) is chosen] for chosen in (False, True))
    parts = [f"<h4>{escape(m.name)}</h4>"]
    for title, header, rows in (
        ("bodies", ("body", "mass (kg)", "inertia (kg m²)", "mass centre (m)", "motion"), bodies),
        ("connections", ("connection", "pair", "first", "second", "laws"), joints),
        ("forces", ("force", "kind"), forces),
        ("parameters", ("parameter", "value", "unit", ""), numbers),
        ("inputs", ("input", "value", "unit", ""), inputs),
    ):
        if rows:
            called = title if len(rows) > 1 else header[0]
            parts.append(_folded(f"{len(rows)} {called}", table_html(header, rows), len(rows) <= 12))
    return "".join(parts)


def _laws(c: ModelPart) -> str:
    laws = [*c.laws.items(), *c.bond_laws.items()]
    return ", ".join(
        [f"{name}: {type(law).__name__}" for name, law in laws] + [type(x).__name__ for x in c.contact_laws]
    )


def _text(value: ModelPart) -> str:
    """A number, several, or an expression, in a few letters."""
    if isinstance(value, tuple | list):
        return ", ".join(_text(v) for v in value)
    text = f"{value:g}" if isinstance(value, float | int) else str(value).replace("\n", " ")
    return text if len(text) <= 40 else f"{text[:37]}..."


def system_html(system: "System") -> str:
    """Description, seals and bond graph."""
    graph = system.graph
    described = f"<pre>{escape(system.describe())}</pre>"
    return (
        f"<h4>{escape(system.model.name)}</h4>{described}"
        f"{_folded('what seals each bond', table_html(HEADER, seal_rows(graph)))}"
        f"{_folded('bond graph', graph._repr_svg_())}"
    )


def run_html(run: "Run") -> str:
    """The scene, which can be played, and the summary."""
    from trundle.view.page.html import page

    frame = escape(page(run, frames=FRAMES), quote=True)
    return (
        f'<iframe sandbox="allow-scripts" style="width:100%;height:480px;border:1px solid #ccc" srcdoc="{frame}">'
        f"</iframe>{_folded('summary', f'<pre>{escape(run.summary())}</pre>')}"
    )


def batch_html(batch: "BatchRun") -> str:
    """Outcomes of the cases, and messages of failed ones."""
    endings = sorted(Counter(batch.outcomes).items())
    faults = [(i, text) for i, text in enumerate(batch.messages) if text]
    parts = [f"<p>{escape(batch.summary())}</p>", table_html(("ending", "cases"), endings)]
    if faults:
        parts.append(_folded(f"{len(faults)} messages", table_html(("case", "message"), faults)))
    doubts = [(i, text) for i, texts in batch.warnings.items() for text in texts]
    if doubts:
        parts.append(_folded(f"{len(doubts)} warnings", table_html(("case", "warning"), doubts)))
    return "".join(parts)


def linearisation_html(linear: "Linearisation") -> str:
    """Eigenvalues with frequency and damping."""
    header = ("real (1/s)", "imaginary (rad/s)", "frequency (Hz)", "damping ratio")
    rows = [[f"{value:.6g}" for value in row.values()] for row in linear.table()]
    left_out = (
        f"<p>left out, as nothing depends on them: {escape(', '.join(linear.cyclic))}</p>" if linear.cyclic else ""
    )
    return f"<p>states: {escape(', '.join(linear.names))}</p>{left_out}{table_html(header, rows)}"
