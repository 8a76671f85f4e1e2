"""The same model as a YAML file."""

from trundle.file.read import ModelFile, RunSettings, load_file, load_model, read_model

__all__ = ["ModelFile", "RunSettings", "load_file", "load_model", "read_model"]
