"""A local page on which models are opened, changed, run, watched and compared."""

from trundle.studio.server import Studio, studio

__all__ = ["Studio", "studio"]
