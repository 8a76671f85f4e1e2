"""Bicycles: their pitch on the road in closed form (pitch), and models of their motion (whipple).

The closed form of the pitch has axes z down; the models have z up. See pitch.__doc__ and whipple.__doc__.
"""

from trundle.bicycle.geometry import Geometry
from trundle.bicycle.loop import Loop
from trundle.bicycle.pitch import Pitch, loop_pitch, pitch
from trundle.bicycle.whipple import Part, Parts, Wheel, benchmark, benchmark_parts, whipple
from trundle.messages.arguments import explain_module_calls

__all__ = [
    "Geometry",
    "Loop",
    "Part",
    "Parts",
    "Pitch",
    "Wheel",
    "benchmark",
    "benchmark_parts",
    "loop_pitch",
    "pitch",
    "whipple",
]
explain_module_calls(globals(), __all__)
