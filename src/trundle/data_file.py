"""Data files of the package: tables, profiles and measured numbers with their sources, in YAML."""

from importlib.resources import files

import yaml

from trundle.typing import Json

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""That of libyaml, where PyYAML has it: ten times faster."""


def read_data(package: str, path: str) -> Json:
    """The content of a file of a package, as `read_data("trundle.rail", "data/kalker.yaml")`."""
    text = files(package).joinpath(path).read_text(encoding="utf-8")
    found: Json = yaml.load(text, Loader=_LOADER)  # a safe loader: it makes numbers, texts, lists and mappings only
    return found
