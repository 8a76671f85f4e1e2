"""A local web page on which models are opened, changed, run, animated and compared."""

from trundle.studio.server import Studio, studio

__all__ = ["Studio", "studio"]
