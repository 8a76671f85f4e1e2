"""What the command line says about connections: the table of seals and the causality."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from trundle.command.tables import show, word_table
from trundle.model.seal import VARIABLES

if TYPE_CHECKING:
    from trundle.bond_graph.bonds import BondGraph


def print_seals(graph: "BondGraph") -> None:
    """Bonds of each connection that are sealed alike share a row; efforts that add up share a bond.

    Laws and forces on coordinates of a contact that are none of its bonds follow as "chain yaw" and so on.
    """
    table = word_table("seals", "connection", "bonds", "variables", "sealed by", "element", "by")
    rows: dict[tuple[str, ...], list[str]] = {}
    for seal in graph.seals:
        flow, effort = VARIABLES[seal.bond]
        kind = "flow" if seal.imposes_flow else "effort"
        row = (seal.connection, f"({flow}, {effort})", kind, "+".join(seal.elements), seal.by)
        rows.setdefault(row, []).append(seal.called or seal.bond)
    for chain in graph.chain:
        seal, (flow, effort) = chain.seal, chain.variables
        row = (
            seal.connection,
            f"({flow}, {effort})",
            "flow" if seal.imposes_flow else "effort",
            "+".join(seal.elements),
            seal.by,
        )
        rows.setdefault(row, []).append(f"chain {seal.called}")
    for (connection, *rest), bonds in rows.items():
        table.add_row(connection, ", ".join(bonds), *rest)
    show(table)


def print_graph(graph: "BondGraph", out: Path | None) -> None:
    """Write the graph to a file, or print its seals and its causality."""
    if out is not None:
        typer.echo(f"written: {graph.save(out)}")
        return
    print_seals(graph)
    typer.echo(graph.causality.report())
