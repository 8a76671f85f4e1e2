"""Tables of a file: numbers in the file itself, or columns of a CSV file in its folder."""

from collections.abc import Callable
from pathlib import Path as FilePath
from typing import final

from trundle.errors import FileError, TrundleError
from trundle.file.field import in_words, scalar
from trundle.file.schema import TableSection
from trundle.file.tree import Path
from trundle.file.values import Values
from trundle.lookup.table import Table
from trundle.model.table import ModelTable
from trundle.typing import Expr, Options, Raw


@final
class Tables:
    """Makes tables; CSV files are read from the folder of the model file only."""

    def __init__(self, values: Values, folder: FilePath | None) -> None:
        self.values, self.faults, self.folder = values, values.faults, folder

    def make(self, given: TableSection, path: Path) -> Table | None:
        """The table, or None with a fault at its path."""
        options: Options = {"between": given.between, "beyond": given.beyond}
        options |= {name: getattr(given, name) for name in ("unit", "text")}
        options |= {name: one for name in ("arguments", "outputs") if (one := getattr(given, name))}
        before = len(self.faults.found)
        if given.csv is not None:
            file = self._beside(given.csv, (*path, "csv"))
            x, y = (self._columns(getattr(given, name), (*path, name)) for name in ("x", "y"))
            return Table.from_csv(file, x, y, **options) if file and len(self.faults.found) == before else None
        x, y = (self._numbers(getattr(given, name), (*path, name)) for name in ("x", "y"))
        return Table(x, y, **options) if len(self.faults.found) == before else None

    def known(self, table: ModelTable) -> dict[str, Callable[..., Expr]]:
        """Functions that expressions may call: the table, or each of its outputs by name."""
        kind, names = table.table.kind, table.table.outputs
        if not kind.outputs:
            return {table.name: table}
        labels = names or [str(i + 1) for i in range(kind.outputs)]
        return {f"{table.name}.{label}": _Output(table, i) for i, label in enumerate(labels)}

    def _beside(self, name: str, path: Path) -> FilePath | None:
        if self.folder is None:
            self.faults.add(path, "a model that was not read from a file has no folder: give the numbers as x and y")
            return None
        folder = self.folder.resolve()
        file = (folder / name).resolve()
        if not file.is_relative_to(folder) or file.suffix.lower() != ".csv":
            self.faults.add(path, f"{name!r} must be a .csv file in the folder of the model file or below it")
            return None
        if not file.is_file():
            self.faults.add(path, f"there is no file {name!r} in the folder of the model file")
            return None
        return file

    def _columns(self, given: Raw, path: Path) -> Raw:
        fine = isinstance(given, str) or (
            isinstance(given, list) and given and all(isinstance(one, str) for one in given)
        )
        if not fine:
            self.faults.add(
                path, f"give the name of a column of the CSV file, or a list of names, not {in_words(given)}"
            )
        return given

    def _numbers(self, given: Raw, path: Path) -> Raw:
        """A list of numbers, or of such lists."""
        if isinstance(given, list):
            return [self._numbers(one, (*path, i)) if isinstance(one, list) else self._number(one, (*path, i))
                    for i, one in enumerate(given)]  # fmt: skip
        self.faults.add(path, f"give a list of numbers, not {in_words(given)}")
        return []

    def _number(self, given: Raw, path: Path) -> float:
        try:
            return self.values.fixed(scalar(given), path)
        except FileError:
            raise
        except (ValueError, TrundleError) as error:
            self.faults.add(path, str(error))
            return 0.0


@final
class _Output:
    """One output of a table with several."""

    def __init__(self, table: ModelTable, place: int) -> None:
        self.table, self.place = table, place

    def __call__(self, *arguments: Expr) -> Expr:
        return self.table(*arguments)[self.place]
