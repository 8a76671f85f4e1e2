"""A quantity that stays in its file until it is asked for."""

from pathlib import Path
from typing import Any, final

import numpy as np
from xarray.backends import BackendArray
from xarray.core import indexing

from trundle.errors import StoreError

Stamp = tuple[int, int]  # size (B) and time of the last change (ns)


def stamp_of(path: Path) -> Stamp:
    """What tells this file from a later one of the same name."""
    found = path.stat()
    return found.st_size, found.st_mtime_ns


@final
class StoredArray(BackendArray):
    """Values of a variable of a netCDF-4 file, a part of its samples at most; read once, when first asked for.

    The file is not kept open, so that it can be replaced; then it is read no more.
    """

    def __init__(self, path: Path, stamp: Stamp, item: Any, kept: tuple[slice, ...]) -> None:
        self.path, self.stamp, self.name, self.kept = path, stamp, item.name, kept
        self.shape = tuple(len(range(*part.indices(n))) for part, n in zip(kept, item.shape, strict=True))
        self.dtype = item.dtype

    def lazily(self) -> Any:
        """As xarray holds it."""
        kinds: Any = indexing  # whose signatures do not fit each other
        return kinds.MemoryCachedArray(kinds.CopyOnWriteArray(kinds.LazilyIndexedArray(self)))

    def __getitem__(self, key: Any) -> Any:
        return indexing.explicit_indexing_adapter(key, self.shape, indexing.IndexingSupport.BASIC, self._read)

    def _read(self, key: tuple[Any, ...]) -> Any:
        import h5py

        try:
            if stamp_of(self.path) != self.stamp:
                raise StoreError(f"{self.path} has changed since it was opened. Open it again.")
            with h5py.File(self.path) as file:
                values = file[self.name][self.kept]
        except (OSError, KeyError) as error:
            raise StoreError(
                f"cannot read {self.name.removeprefix('/')!r} of {self.path}: the file is gone or damaged ({error}). "
                "Copy it again from its source, or run the model again."
            ) from error
        return np.asarray(values)[key]
