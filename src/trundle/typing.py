"""Type aliases that are used everywhere.

What the checker cannot follow has a telling name here: the operators of CasADi, user input before it is checked,
contents of files, and objects of libraries without types. The checker treats these names as `Any`. They are imported
under these names because mypy treats aliases of Any and Any itself differently in calls of overloaded functions.
"""

from collections.abc import Callable, Mapping
from dataclasses import Field
from typing import Any
from typing import Any as Expr  # an expression on the tape (ca.SX), or a number where one may stand
from typing import Any as Given  # what a user gives, before it is checked
from typing import Any as Index  # what picks entries of an array: a number, a slice, numbers, flags
from typing import Any as ModelPart  # any part of a model, as passes through what works on all of them alike
from typing import Any as Option  # a keyword that is passed on to the function that the docstring names
from typing import Any as Raw  # what was read from a file, or came from a browser, before it is understood
from typing import Any as TapeFunction  # a function on the tape (ca.Function)
from typing import Any as Untyped  # an object of a library that has no types (SciPy, zarr, llvmlite, numba)
from typing import Any as Value  # what a name stands for in an answer: a number, a vector, a table, a text

import numpy as np

__all__ = [
    "AnyArray", "Array", "ClassField", "Columns", "Complexes", "Expr", "Flags", "Given", "Index", "Integers", "Json",
    "Kind", "Look", "Maker", "ModelPart", "Option", "Options", "Raw", "Settings", "State", "TapeFunction", "Untyped",
    "Value", "Values",
]  # fmt: skip

Array = np.ndarray[Any, np.dtype[np.float64]]  # real numbers
Complexes = np.ndarray[Any, np.dtype[np.complex128]]
AnyArray = np.ndarray[Any, np.dtype[Any]]  # real or complex numbers
Flags = np.ndarray[Any, np.dtype[np.bool_]]
Integers = np.ndarray[Any, np.dtype[np.signedinteger[Any]]]

Values = Mapping[str, Value]  # input of a study by name: numbers, vectors, tables that replace those of the model
State = dict[str, Value]  # results of a study by name: numbers, vectors
Json = dict[str, Any]  # JSON for a file or a browser
Settings = Mapping[str, Any]  # settings by name that are only passed on or recorded
Options = dict[str, Any]  # keyword arguments for a call
Columns = dict[str, Any]  # variables or coordinates of an xarray.Dataset
Look = dict[str, Any]  # style options of matplotlib: colours, widths

ClassField = Field[Any]  # a field of a dataclass
Kind = type[Any]  # a class that is looked up by its name
Maker = Callable[..., Any]  # a class or a function that makes a part from keywords
