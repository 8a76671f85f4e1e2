"""The run inside an FMU, for the slave of pythonfmu: from the model file in the resources of the FMU."""

import json
from pathlib import Path
from typing import Final, final

from trundle.file.read import load_file
from trundle.integrate.options import Steps
from trundle.study.stepper import Stepper

SETTINGS: Final = "trundle.json"  # in the resources: name of the model file, outputs, values of parameters
FOREVER: Final = 1e9  # s, if no end is given ...
SHORTEST: Final = 1e-15  # s, and the shortest step then


@final
class FmuRun:
    """Parameters until the run begins, inputs from step to step, and outputs at the time reached."""

    def __init__(self, resources: Path | str) -> None:
        settings = json.loads((Path(resources) / SETTINGS).read_text(encoding="utf-8"))
        file = load_file(Path(resources) / settings["model"], settings["parameters"])
        self._system = file.model.build()
        model = self._system.model
        self.parameters: dict[str, float] = dict(model.parameter_values())
        self.inputs: dict[str, float] = {name: float(one.level.value) for name, one in model.inputs.items()}
        self.parameters = {name: value for name, value in self.parameters.items() if name not in self.inputs}
        self.outputs: tuple[str, ...] = tuple(settings["outputs"])
        self._begins, self._ends, self._rtol = 0.0, FOREVER, 1e-10
        self._steps = Steps(shortest=SHORTEST)
        self._stepper: Stepper | None = None

    def unit(self, name: str) -> str:
        """Unit of an output."""
        return self._system.formulation.register.get(name).quantity.unit

    def set_up(self, start: float, stop: float | None, tolerance: float | None) -> None:
        """Times (s) and relative tolerance of the whole run."""
        self._begins = start
        self._ends = start + FOREVER if stop is None else stop
        self._steps = Steps(shortest=SHORTEST) if stop is None else Steps()
        self._rtol = tolerance or self._rtol

    def _begun(self) -> Stepper:
        if self._stepper is None:
            span = self._ends - self._begins
            self._stepper = self._system.stepper(
                span, None, self.parameters, t0=self._begins, rtol=self._rtol, samples=2, steps=self._steps
            )
            self._stepper.set(self.inputs)
        return self._stepper

    def output(self, name: str) -> float:
        """A quantity at the time reached."""
        return float(self._begun()[name])

    def step(self, t: float, duration: float) -> str:
        """Continue by one step of the master; return the reason if that failed, otherwise an empty text."""
        stepper = self._begun()
        stepper.set(self.inputs)
        to = t + duration
        if to > stepper.end + 1e-6 * duration:
            return f"the step to {to:g} s goes beyond the stop time of the experiment, {stepper.end:g} s"
        outcome = stepper.advance(min(to, stepper.end))
        return "" if outcome.name == "FINISHED" else f"the run ends at {stepper.time:g} s: {outcome}"

    def doubt(self) -> str:
        """What the checks of the whole run say against it, such as that of its energy; otherwise an empty text."""
        stepper = self._begun()
        if stepper.outcome is None or stepper.outcome.name != "FINISHED":
            return ""  # not begun, or its end has been told
        run = stepper.run()
        return "" if run.ok else f"the run is not right: {run.outcome}"
