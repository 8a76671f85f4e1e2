"""What a person sees: plots over time, pictures of the mechanism."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trundle.view.plot import plot_eigenvalues, plot_energy, plot_quantities
    from trundle.view.scene import draw

__all__ = ["draw", "plot_eigenvalues", "plot_energy", "plot_quantities"]


def __getattr__(name: str) -> Any:
    """Import a drawing function when it is first used: matplotlib is slow to import."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module("trundle.view.scene" if name == "draw" else "trundle.view.plot"), name)
