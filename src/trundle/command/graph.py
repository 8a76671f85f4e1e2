"""Output of the command line about connections: the table of seals and the causality."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from trundle.bond_graph.seal_rows import HEADER, seal_rows
from trundle.command.tables import show, word_table

if TYPE_CHECKING:
    from trundle.bond_graph.bonds import BondGraph


def print_seals(graph: "BondGraph", dual: bool = False) -> None:
    """The table of `seal_rows`."""
    table = word_table("seals", *HEADER)
    for row in graph.dual().seal_rows() if dual else seal_rows(graph):
        table.add_row(*row)
    show(table)


def print_graph(graph: "BondGraph", out: Path | None, dual: bool) -> None:
    """Write the graph to a file, or print its seals and its causality."""
    if out is not None:
        typer.echo(f"written: {(graph.dual() if dual else graph).save(out)}")
        return
    print_seals(graph, dual)
    if dual:
        typer.echo("Dual reading: wrenches (F, M) are flows, twists efforts; bodies are 0-junctions.")
        typer.echo(graph.causality.counts())
        return
    typer.echo(graph.causality.report())
