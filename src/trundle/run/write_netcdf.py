"""Datasets as netCDF-4 files by h5py alone: what xarray writes with h5netcdf, in a sixth of the time.

A netCDF-4 file is an HDF5 file in which each dimension is a dataset, a "dimension scale", and each variable is tied to
those of its dimensions. A dimension that has values is its own variable; of another only the length is written.
"""

from collections.abc import Mapping
from math import ceil, prod
from typing import TYPE_CHECKING, Final, NamedTuple, final

import numpy as np

from trundle.errors import StoreError
from trundle.run.read_netcdf import NUMBER, NUMBERS, UNNAMED
from trundle.typing import AnyArray, Settings, Untyped
from trundle.version import __version__

if TYPE_CHECKING:
    import xarray as xr

BLOCK: Final = 1 << 14  # numbers


@final
class Variable(NamedTuple):
    """A variable of a file."""

    dims: tuple[str, ...]
    values: AnyArray
    attrs: Settings


@final
class Content(NamedTuple):
    """What a file holds: sizes of dimensions, variables, and what it says of itself."""

    sizes: Mapping[str, int]
    variables: Mapping[str, Variable]
    attrs: Settings

    @classmethod
    def of(cls, dataset: "xr.Dataset") -> "Content":
        """By the conventions of xarray: truth values become numbers, coordinates are listed."""
        from xarray.conventions import encode_cf_variable, encode_dataset_coordinates

        variables, attributes = encode_dataset_coordinates(dataset)
        found = {}
        for name, variable in variables.items():
            plain = variable.copy(deep=False)
            plain.encoding = {"_FillValue": None}
            made = encode_cf_variable(plain, name=str(name))
            found[str(name)] = Variable(tuple(map(str, made.dims)), np.asarray(made.values), made.attrs)
        return cls({str(name): size for name, size in dataset.sizes.items()}, found, attributes)


def encode(content: "Content | xr.Dataset") -> bytes:
    """The whole file in memory: the HDF5 library crashes when a disk fills up under it, Python only raises.

    No fill values (numbers stay as they are), and checksums so that damage is noticed when reading; these stand in
    blocks of whole samples, which are read without sorting columns.
    """
    import h5py

    sizes, given, attributes = content if isinstance(content, Content) else Content.of(content)
    variables = dict(given)
    with h5py.File("netcdf", "w", driver="core", backing_store=False, track_order=True) as file:
        number = {name: i for i, name in enumerate(sizes)}
        scales = [_scale(file, name, size, variables.pop(name, None)) for name, size in sizes.items()]
        for name, variable in variables.items():
            item = _written(file, name, variable)
            numbers = [number[dimension] for dimension in variable.dims]
            for axis, i in enumerate(numbers):
                item.dims[axis].attach_scale(scales[i])
            if numbers:
                item.attrs[NUMBERS] = np.array(numbers, np.int32)
        for i, scale in enumerate(scales):
            scale.attrs[NUMBER] = np.int32(i)
        _describe(file, attributes)
        versions = f"version=2,trundle={__version__},hdf5={h5py.version.hdf5_version},h5py={h5py.__version__}"
        file.attrs["_NCProperties"] = np.bytes_(versions)
        file.flush()
        image: bytes = file.id.get_file_image()
    return image


def _scale(file: Untyped, name: str, size: int, variable: Variable | None) -> Untyped:
    """The dataset of a dimension: its values, or only its length."""
    if variable is None:
        item = file.create_dataset(name, (size,), np.dtype(">f4"))
        item.make_scale(f"{UNNAMED}. {size:10d}")
    else:
        item = _written(file, name, variable)
        item.make_scale(name)
    return item


def _written(file: Untyped, name: str, variable: Variable) -> Untyped:
    values = variable.values
    if values.dtype.kind not in "fiuUO":
        raise StoreError(f"cannot write {name!r}: netCDF files hold real numbers and text, not {values.dtype}.")
    if values.dtype.kind in "UO":
        import h5py

        item = file.create_dataset(name, values.shape, h5py.string_dtype())
        item[...] = values.astype(object)
    else:
        blocks = {"chunks": _block(values.shape), "fletcher32": True} if values.shape and values.size else {}
        item = file.create_dataset(name, data=np.asarray(values, order="C"), **blocks)
    _describe(item, variable.attrs)
    return item


def _describe(item: Untyped, attributes: Mapping[str, object]) -> None:
    for name, value in attributes.items():
        item.attrs[name] = value if isinstance(value, str) else np.atleast_1d(np.asarray(value))


def _block(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Samples that are stored together: whole ones, of at most about BLOCK numbers, in blocks of equal length."""
    count = ceil(shape[0] * prod(shape[1:]) / BLOCK)
    return ceil(shape[0] / count), *shape[1:]
