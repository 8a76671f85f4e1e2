"""Data files of the package: profiles, tables and measured numbers with their sources, in TOML, which Python reads."""

import tomllib
from pathlib import Path

from trundle.typing import Json

_PACKAGE = Path(__file__).parent


def read_data(path: str) -> Json:
    """The content of a file of the package, as `read_data("rail/data/kalker.toml")`."""
    found: Json = tomllib.loads(_PACKAGE.joinpath(path).read_text(encoding="utf-8"))
    return found
