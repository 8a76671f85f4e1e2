"""A stored variable for xarray, read from its file on first use."""

from typing import TYPE_CHECKING, final

from xarray.backends import BackendArray
from xarray.core import indexing

from trundle.typing import Index, Untyped

if TYPE_CHECKING:
    from trundle.run.stored_result import StoredVariable


def lazily(variable: "StoredVariable") -> Untyped:
    """Data of an xarray variable."""
    kinds: Untyped = indexing  # whose signatures do not fit each other
    return kinds.MemoryCachedArray(kinds.CopyOnWriteArray(kinds.LazilyIndexedArray(_StoredArray(variable))))


@final
class _StoredArray(BackendArray):
    def __init__(self, variable: "StoredVariable") -> None:
        self.variable, self.shape, self.dtype = variable, variable.shape, variable.dtype

    def __getitem__(self, key: Index) -> Untyped:
        return indexing.explicit_indexing_adapter(key, self.shape, indexing.IndexingSupport.BASIC, self._read)

    def _read(self, key: tuple[Index, ...]) -> Untyped:
        return self.variable.values[key]
