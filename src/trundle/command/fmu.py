"""A model file as an FMU (FMI 2.0, co-simulation), which runs in Python by pythonfmu."""

import json
import re
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from trundle.atomic_write import check_target, write_whole
from trundle.command.fmu_run import SETTINGS
from trundle.errors import StoreError
from trundle.file.read import ModelFile, load_file

SCRIPT = """from xml.etree.ElementTree import Element, SubElement

from pythonfmu import Fmi2Causality, Fmi2Initial, Fmi2Slave, Fmi2Variability, Real
from pythonfmu.enums import Fmi2Status
from trundle.command.fmu_run import FmuRun


class {name}(Fmi2Slave):
    def __init__(self, **given):
        super().__init__(**given)
        self.description = {text!r}
        self.run = FmuRun(self.resources)
        for name in self.run.parameters:
            self.add(name, self.run.parameters, Fmi2Causality.parameter, Fmi2Variability.fixed)
        for name in self.run.inputs:
            self.add(name, self.run.inputs, Fmi2Causality.input, Fmi2Variability.continuous)
        for name in self.run.outputs:
            found = Real(name, causality=Fmi2Causality.output, description=self.run.unit(name),
                         getter=lambda name=name: self.run.output(name))
            self.register_variable(found)

    def add(self, name, values, causality, variability):
        initial = Fmi2Initial.exact if causality is Fmi2Causality.parameter else None
        self.register_variable(Real(name, causality=causality, variability=variability, initial=initial,
                                    start=values[name], getter=lambda: values[name],
                                    setter=lambda value: values.__setitem__(name, value)))

    def to_xml(self, model_options={{}}) -> Element:
        root = super().to_xml(model_options)
        unknown = SubElement(root.find("ModelStructure"), "InitialUnknowns")  # the standard wants all outputs there
        for i, variable in enumerate(self.vars.values()):
            if variable.causality is Fmi2Causality.output:
                SubElement(unknown, "Unknown", index=str(i + 1))
        return root

    def setup_experiment(self, start_time, stop_time=None, tolerance=None):
        self.run.set_up(start_time, stop_time, tolerance)

    def do_step(self, current_time, step_size):
        ended = self.run.step(current_time, step_size)
        if ended:
            self.log(ended)
        return not ended

    def terminate(self):
        doubt = self.run.doubt()
        if doubt:
            self.log(doubt, Fmi2Status.error)
"""


def export_fmu(source: Path, out: Path, outputs: Sequence[str], parameters: Mapping[str, float]) -> Path:
    """Write the FMU of a model file.

    Parameters
    ----------
    source : Path
        A model file that needs no other file.
    out : Path
        Name of the FMU, .fmu.
    outputs : sequence of str
        Scalar quantities; by default those that the file plots, or all coordinates.
    parameters : mapping
        Start values of parameters other than those of the file.

    Returns
    -------
    Path
        The written file.
    """
    try:
        from pythonfmu.builder import FmuBuilder
    except ImportError as error:
        raise StoreError("pythonfmu, which writes FMUs, is not installed: pip install 'trundle[fmi]'.") from error
    if out.suffix.lower() != ".fmu":
        raise StoreError(f"cannot write {out}: the name of an FMU ends in .fmu.")
    check_target(out)
    with tempfile.TemporaryDirectory() as folder:
        alone = Path(folder) / "model.yaml"
        alone.write_bytes(source.read_bytes())
        try:
            file = load_file(alone, dict(parameters))
        except OSError as error:
            raise StoreError(
                f"{source} needs other files ({error}): an FMU can contain the model file only."
            ) from error
        chosen = _outputs(file, outputs)
        settings = {"model": alone.name, "outputs": chosen, "parameters": dict(parameters)}
        (Path(folder) / SETTINGS).write_text(json.dumps(settings), encoding="utf-8")
        name = re.sub(r"\W+", "_", file.model.name, flags=re.ASCII).strip("_") or "model"
        name = f"m_{name}" if name[0].isdigit() else name
        script = Path(folder) / f"{name}.py"
        script.write_text(SCRIPT.format(name=name, text=f"{file.model.name}, by Trundle"), encoding="utf-8")
        made = FmuBuilder.build_FMU(script, dest=folder, project_files=[alone, Path(folder) / SETTINGS])
        write_whole(out, Path(made).read_bytes())
    return out


def _outputs(file: ModelFile, wanted: Sequence[str]) -> list[str]:
    """Names of outputs, which must be scalar."""
    system = file.model.build()
    register, names = system.formulation.register, list(wanted or file.run.plot)
    if not names:
        names = [name for c in system.formulation.layout.coordinates if c.n_q == 1 for name in [c.name]]
    for name in names:
        if register.get(name).size != 1:
            raise StoreError(f"the output {name!r} of an FMU is more than one number: give its components, {name}_x.")
    return names
