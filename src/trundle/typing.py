"""Names of types that are used everywhere.

The operators of CasADi are not described well enough for the checker to follow expressions through them; `Expr` and
`TapeFunction` say what is meant, and the checker takes them as `Any`. They are imported under these names because mypy
takes aliases of Any otherwise than Any in calls of overloaded functions.
"""

from collections.abc import Mapping
from typing import Any
from typing import Any as Expr  # an expression on the tape (ca.SX), or a number where one may stand
from typing import Any as Raw  # what was read from a file, or came from a browser, before it is understood
from typing import Any as TapeFunction  # a function on the tape (ca.Function)

import numpy as np

__all__ = ["AnyArray", "Array", "Expr", "Flags", "Json", "Look", "Raw", "State", "TapeFunction", "Values"]

Array = np.ndarray[Any, np.dtype[np.float64]]  # real numbers
AnyArray = np.ndarray[Any, np.dtype[Any]]  # real or complex numbers
Flags = np.ndarray[Any, np.dtype[np.bool_]]

Values = Mapping[str, Any]  # what a study is given by name: numbers, vectors, tables in place of those of the model
State = dict[str, Any]  # what a study answers by name: numbers, vectors
Json = dict[str, Any]  # what goes into a file or to a browser as JSON
Look = dict[str, Any]  # options of matplotlib: colours, widths
