"""Files of lines and vehicles for the verbs of `trundle rail`: a path, or the name of an example."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from trundle.errors import UnknownNameError

if TYPE_CHECKING:
    from trundle.file.track import TrackFile
    from trundle.file.vehicle import VehicleFile


def find_line(source: str) -> "TrackFile":
    """The line of a file, or one that comes with Trundle."""
    from trundle.file.track import load_track

    return load_track(_path(source, "lines", "line"))


def find_vehicle(source: str) -> "VehicleFile":
    """The vehicle of a file, or one that comes with Trundle."""
    from trundle.file.vehicle import load_vehicle

    return load_vehicle(_path(source, "vehicles", "vehicle"))


def _path(source: str, folder: str, what: str) -> Path:
    from trundle import examples

    path, known = Path(source), sorted((examples.FOLDER / folder).glob("*.yaml"))
    if path.suffix in (".yaml", ".yml") or path.is_file():
        return path
    names = [one.stem for one in known]
    if source not in names:
        raise typer.BadParameter(str(UnknownNameError(source, names, what)))
    return known[names.index(source)]
