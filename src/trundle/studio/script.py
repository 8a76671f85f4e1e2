"""A Python script that repeats the actions on a page."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pprint import pformat
from typing import Final, final

from trundle.studio.eigen import EigenAction, start_of
from trundle.studio.opened import Opened
from trundle.typing import Json, Settings, Values

MOST: Final = 200  # actions that are stored
WIDTH: Final = 110


@final
@dataclass(frozen=True)
class RunAction:
    """A run with these values."""

    parameters: Mapping[str, float]
    start: Values
    duration: float
    options: Settings


Action = RunAction | EigenAction


@final
@dataclass
class Log:
    """Actions of the user. Of the runs made while a slider moves only the last one is stored."""

    actions: list[tuple[Action, bool]] = field(default_factory=list)
    kept: RunAction | None = None

    def add(self, action: Action, automatic: bool) -> None:
        """Store an action; an automatic one replaces an automatic one before it, unless that is kept."""
        if self.actions and automatic and self.actions[-1][1] and self.actions[-1][0] is not self.kept:
            self.actions.pop()
        if self.actions and self.actions[-1][0] == action:
            return
        self.actions = [*self.actions, (action, automatic)][-MOST:]

    def keep(self, on: bool) -> None:
        """Keep the last run for comparison, or not."""
        runs = self.runs()
        self.kept = runs[-1] if on and runs else None

    def runs(self) -> list[RunAction]:
        """All runs."""
        return [action for action, _ in self.actions if isinstance(action, RunAction)]


def script(opened: Opened, log: Log) -> str:
    """The text of the script: it makes the model, repeats runs and eigenvalues, prints and saves them."""
    lines = [f"# Repeats what was done in `trundle studio` with {opened.file.model.name!r}.", *_model(opened)]
    names: list[tuple[RunAction, str]] = []
    loci = 0
    for action, _ in log.actions:
        if isinstance(action, RunAction):
            names.append((action, f"run_{len(names) + 1}"))
            lines += _run(action, names[-1][1])
        else:
            loci += 1
            lines += _eigen(opened, action, f"eigenvalues_{loci}")
    kept = next((name for action, name in names if action is log.kept), None)
    if kept and names[-1][1] != kept:
        lines += ["", f'{names[-1][1]}.save_html("compared.html", compare={kept})']
    text = "\n".join(lines) + "\n"
    return text if "np." in text else text.replace("import numpy as np\n\n", "", 1)


def _model(opened: Opened) -> list[str]:
    if opened.is_example:
        sizes = "".join(f", {name}={value!r}" for name, value in opened.sizes.items())
        return [
            "import numpy as np", "", "from trundle import examples", "",
            f"system = examples.model({opened.name!r}{sizes}).build()",
        ]  # fmt: skip
    folder = f", folder=Path({str(opened.folder)!r})" if opened.folder is not None else ""
    assert opened.text is not None
    return [
        *(["from pathlib import Path", ""] if folder else []), "import numpy as np", "",
        "from trundle.file import read_model", "", f"MODEL = {_block(opened.text)}", "",
        f"system = read_model(MODEL, {opened.name!r}{folder}).model.build()",
    ]  # fmt: skip


def _block(text: str) -> str:
    """The text in triple quotes if possible, otherwise line by line."""
    if '"""' not in text and "\\" not in text and text.isprintable() is False and not text.endswith('"'):
        plain = all(c.isprintable() or c == "\n" for c in text)
        if plain:
            return f'"""{text}"""'
    return "(\n" + "\n".join(f"    {line!r}" for line in text.splitlines(keepends=True)) + "\n)"


def _run(action: RunAction, name: str) -> list[str]:
    options = "".join(f", {key}={value!r}" for key, value in action.options.items() if value is not None)
    return [
        "", f"{name} = system.simulate(", f"    {action.duration!r},", f"    start={_dict(action.start)},",
        f"    parameters={_dict(action.parameters)}{options},", ")",
        f"print({name}.summary())", f'{name}.save("{name.replace("_", "-")}.nc")',
    ]  # fmt: skip


def _dict(values: Values) -> str:
    return pformat(dict(values), width=WIDTH, sort_dicts=False).replace("\n", "\n    ")


def _eigen(opened: Opened, action: EigenAction, name: str) -> list[str]:
    values = f"np.linspace({action.first!r}, {action.last!r}, {action.count})"
    if action.about == "steady":
        return [
            "", "from trundle.study.stability import SteadyMotions", "",
            f"motions = SteadyMotions(system, start={_dict(action.start)}, parameters={_dict(action.parameters)})",
            f"print(motions.stability({action.first!r}, {action.last!r}).summary())",
            f"{name} = [one.eigenvalues for one in motions.over({values})]",
        ]  # fmt: skip
    others, over = _dict(action.parameters), repr(action.over)
    head = ["", "from trundle.command.eigen import root_locus", ""]
    first, last = (start_of(opened, action, value) for value in (action.first, action.last))
    at_start = action.about == "start"
    if at_start and first != last:  # start values depend on the parameter
        starts = [start_of(opened, action, value) for value in action.values]
        return [
            *head, f"starts = {_dict_list(starts)}",
            f"{name} = [", f"    root_locus(system, {over}, [value], start, True, {others})[0][0].eigenvalues",
            f"    for value, start in zip({values}, starts)", "]",
        ]  # fmt: skip
    return [
        *head, f"found, _ = root_locus(system, {over}, {values}, {_dict(first)}, {at_start}, {others})",
        f"{name} = [one.eigenvalues for one in found]", f"for value, roots in zip({values}, {name}):",
        "    print(value, roots)",
    ]  # fmt: skip


def _dict_list(values: list[Json]) -> str:
    return "[\n" + "".join(f"    {value!r},\n" for value in values) + "]"
