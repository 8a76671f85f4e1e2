"""Plots over time, pictures of the mechanism, of surfaces and of contacts."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trundle.view.contact import draw_pair
    from trundle.view.draw import draw
    from trundle.view.imaginary import plot_imaginary
    from trundle.view.lower_pairs import draw_lower_pairs
    from trundle.view.plot import plot_eigenvalues, plot_energy, plot_quantities
    from trundle.view.structure import draw_structure
    from trundle.view.surface import draw_surface, draw_surfaces

__all__ = [
    "draw",
    "draw_lower_pairs",
    "draw_pair",
    "draw_structure",
    "draw_surface",
    "draw_surfaces",
    "plot_eigenvalues",
    "plot_energy",
    "plot_imaginary",
    "plot_quantities",
]

_HOMES = {
    "draw": "draw",
    "draw_lower_pairs": "lower_pairs",
    "draw_pair": "contact",
    "draw_structure": "structure",
    "draw_surface": "surface",
    "draw_surfaces": "surface",
    "plot_imaginary": "imaginary",
}


def __getattr__(name: str) -> Any:
    """Import a drawing function when it is first used: matplotlib is slow to import."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"trundle.view.{_HOMES.get(name, 'plot')}"), name)
