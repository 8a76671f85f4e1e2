"""Plots over time, pictures of the mechanism, of surfaces and of contacts."""

from typing import TYPE_CHECKING

from trundle.messages.late_names import import_when_used

if TYPE_CHECKING:
    from trundle.view.contact import draw_pair
    from trundle.view.imaginary import plot_imaginary
    from trundle.view.lower_pairs import draw_lower_pairs
    from trundle.view.plot import plot_eigenvalues, plot_energy, plot_quantities
    from trundle.view.structure import draw_structure
    from trundle.view.surface import draw_surface, draw_surfaces

__all__ = [
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
_NAMES = {
    "trundle.view.contact": "draw_pair",
    "trundle.view.imaginary": "plot_imaginary",
    "trundle.view.lower_pairs": "draw_lower_pairs",
    "trundle.view.plot": "plot_eigenvalues plot_energy plot_quantities",
    "trundle.view.structure": "draw_structure",
    "trundle.view.surface": "draw_surface draw_surfaces",
}
import_when_used(globals(), _NAMES)  # matplotlib is slow to import
