"""The content of a result file as plain arrays; as an xarray dataset on request, as xarray takes a second to import."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, final

import numpy as np

from trundle.errors import StoreError
from trundle.typing import AnyArray, Json, Settings, Untyped

if TYPE_CHECKING:
    import xarray as xr

Stamp = tuple[int, int]  # size (B) and time of the last change (ns)


def stamp_of(path: Path) -> Stamp:
    """Size and time of change of a file, by which a later file of the same name is recognised."""
    found = path.stat()
    return found.st_size, found.st_mtime_ns


@final
@dataclass(frozen=True)
class StoredVariable:
    """A variable of a netCDF-4 file, a part of its samples at most; read once, on first use.

    The file is not kept open, so that it can be replaced; then it is read no more.
    """

    path: Path
    stamp: Stamp
    name: str
    dims: tuple[str, ...]
    shape: tuple[int, ...]  # of the part
    dtype: Untyped
    attrs: Settings
    part: tuple[slice, ...]

    @cached_property
    def values(self) -> AnyArray:
        """All numbers of the part."""
        import h5py

        try:
            if stamp_of(self.path) != self.stamp:
                raise StoreError(f"{self.path} has changed since it was opened. Open it again.")
            with h5py.File(self.path) as file:
                return self.read(file[self.name])
        except (OSError, KeyError) as error:
            raise StoreError(
                f"cannot read {self.name!r} of {self.path}: the file is gone or damaged ({error}). "
                "Copy it again from its source, or run the model again."
            ) from error

    def read(self, item: Untyped) -> AnyArray:
        """The same from the open file."""
        return np.asarray(item.asstr()[self.part].astype(str) if item.dtype.kind == "O" else item[self.part])

    def load(self, item: Untyped) -> None:
        """Read it now."""
        vars(self)["values"] = self.read(item)


@final
@dataclass(frozen=True)
class StoredResult:
    """Variables of a file by their names, those of them that are coordinates, and what the file says of itself."""

    variables: Mapping[str, StoredVariable]
    coordinates: frozenset[str]
    attrs: Json
    thinned: str = ""  # which samples were read, where not all

    @property
    def quantities(self) -> dict[str, StoredVariable]:
        """All but coordinates."""
        return {name: variable for name, variable in self.variables.items() if name not in self.coordinates}

    @cached_property
    def dataset(self) -> "xr.Dataset":
        """The same for xarray; values are read when they are needed."""
        import xarray as xr

        from trundle.run.stored_array import lazily

        made = {
            name: xr.Variable(v.dims, v.values if "values" in vars(v) else lazily(v), v.attrs, fastpath=True)
            for name, v in self.variables.items()
        }
        beside = {name: made.pop(name) for name in self.variables if name in self.coordinates}
        return xr.Dataset(made, beside, self.attrs)
