"""`trundle run`: simulate a model file, write result and pictures, print a summary."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import final

import typer

from trundle.command.find import refuse_unknown_plots
from trundle.file import ModelFile
from trundle.messages.preparing import preparing
from trundle.run.run import Run


@final
@dataclass(frozen=True)
class RunChanges:
    """Settings of the command line that replace those of the run section of the file."""

    duration: float | None
    method: str | None
    rtol: float | None
    samples: int | None


def run_file(file: ModelFile, start: Mapping[str, float], given: RunChanges, out: Path, pictures: bool) -> Run:
    """Simulate, print the summary and write the results into the folder `out`."""
    said = file.run
    duration = said.duration if given.duration is None else given.duration
    if duration is None:
        raise typer.BadParameter("the file gives no duration; use --duration SECONDS.")
    _make_folder(out)
    system = file.model.build()
    refuse_unknown_plots(file, system)
    run = system.simulate(
        duration,
        start,
        method=given.method or said.method,
        rtol=said.rtol if given.rtol is None else given.rtol,
        atol=_in_proportion(said.atol, 1.0 if given.rtol is None else given.rtol / said.rtol),
        samples=given.samples or said.samples,
    )
    typer.echo(run.summary())
    typer.echo(f"\nwritten: {run.save(out / 'result.nc')}")
    if pictures:
        with preparing("the pictures"):
            run.plot(*said.plot, path=out / "motion.png")
            run.energy.plot(path=out / "energy.png")
            run.draw(path=out / "mechanism.png")
        typer.echo("         " + ", ".join(str(out / f"{name}.png") for name in ("motion", "energy", "mechanism")))
    return run


def _in_proportion(atol: float | Mapping[str, float] | None, factor: float) -> float | dict[str, float] | None:
    if atol is None:
        return None
    return atol * factor if isinstance(atol, float) else {unit: value * factor for unit, value in atol.items()}


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise typer.BadParameter(f"the folder {folder} cannot be created: {error.strerror}.") from error
