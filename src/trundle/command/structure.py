"""`trundle structure`: the kinematic structure of a model."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from trundle.command.tables import show, word_table
from trundle.graph.structure import KINDS, find_structure

if TYPE_CHECKING:
    from trundle.system import System


def show_structure(system: "System", out: Path | None) -> None:
    """Write the picture to a file, or print the joints and the count of freedoms."""
    found = find_structure(system.model, system.formulation.topology)
    mobility = system.mobility
    sentence = found.sentence(mobility.configuration, mobility.freedoms)
    if out is not None:
        from trundle.view.structure import draw_structure

        draw_structure(found, system.model.name, sentence, out)
        typer.echo(f"written: {out}")
        return
    table = word_table("joints", "joint", "kind", "coordinates", "between", "")
    links = [name or f"link {i}" for i, name in enumerate(found.links)]
    for i, joint in enumerate(found.joints, 1):
        between = f"{links[joint.first]} - {links[joint.second]}"
        closes = "closes a loop" if joint.closes else ""
        table.add_row(f"{joint.letter}{i}", KINDS[joint.letter], ", ".join(joint.coordinates), between, closes)
    show(table)
    typer.echo(sentence)
