"""`trundle check`: degrees of freedom, redundant constraints, and the seal of each bond of a well-posed model."""

import typer

from trundle.command.find import refuse_unknown_plots
from trundle.command.graph import print_seals
from trundle.file import ModelFile


def print_check(file: ModelFile) -> None:
    """Build the model, which raises all its errors, and print the results."""
    system = file.model.build()
    refuse_unknown_plots(file, system)
    state = system.start()
    bodies, joints, freedoms = len(file.model.free_bodies), len(file.model.connections), system.mobility.freedoms
    typer.echo(
        f"{file.model.name}: well posed. {bodies} {'body' if bodies == 1 else 'bodies'}, "
        f"{joints} connection{'' if joints == 1 else 's'}, {freedoms} degree{'' if freedoms == 1 else 's'} of freedom."
    )
    if system.mobility.configuration > freedoms:
        typer.echo(
            f"Rolling and prescribed rates constrain velocities only: {system.mobility.configuration} coordinates are "
            "independent."
        )
    if system.mobility.redundant:
        typer.echo(f"Redundant constraints, left out: {', '.join(system.mobility.redundant)}.")
    if state.changed:
        typer.echo(f"Start values that had to be changed:\n{state.report()}")
    print_seals(system.graph)
    typer.echo(system.graph.causality.counts())
