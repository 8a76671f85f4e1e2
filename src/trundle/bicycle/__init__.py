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
_STABILITY = (
    "a bicycle is a model: system = bicycle.whipple(parts).build(), then system.linearise({'speed': 5.0}).eigenvalues, "
    "or tr.SteadyMotions(system).stability(0.0, 10.0) over the speed"
)
explain_module_calls(
    globals(),
    __all__,
    {
        **dict.fromkeys(("stability", "eigenvalues", "matrices", "Bicycle", "simulate"), _STABILITY),
        "Frame": "the frames with what is fixed to them are bicycle.Part(mass, x, z, Ixx, Iyy, Izz, Ixz)",
        "Whipple": "write bicycle.whipple(parts), with parts=bicycle.Parts(...) or bicycle.benchmark_parts()",
    },
)
