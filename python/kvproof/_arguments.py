"""What the functions ask of their arguments, and the lines that refuse them."""

from __future__ import annotations

import operator
from typing import Any, Sequence

import numpy as np
from numpy.typing import NDArray

FLOATS = ("float32", "float64")
NATIVE = (np.dtype(np.float32), np.dtype(np.float64))
CACHE_FLOATS = ("float16", "float32", "float64", "bfloat16")


def numbers(name: str, value: Any, dtypes: Sequence[str] = FLOATS) -> NDArray[Any]:
    """The argument as an array of one of these dtypes in C order: itself where it is one, else a copy.

    Python numbers and lists of them become float64; the dtype of an array is never changed, but for its byte order.
    """
    # most arrays are as they should be, and a call on a small one should not wait for the name of its dtype
    if type(value) is np.ndarray and value.flags.c_contiguous and value.dtype in NATIVE and dtypes is FLOATS:
        return value
    if not isinstance(value, np.ndarray) and not hasattr(value, "__array__"):
        try:
            value = np.asarray(value, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            raise ValueError(f"{name}: found {short(value)}, expected an array of numbers") from None
    if isinstance(value, np.ma.MaskedArray):
        raise ValueError(f"{name}: found a masked array, expected one whose entries all count")
    array = np.asarray(value)
    if array.dtype.name not in dtypes:
        raise ValueError(f"{name}: found dtype {array.dtype}, expected {one_of(dtypes)}")
    return np.asarray(array, dtype=array.dtype.newbyteorder("="), order="C")


def whole(name: str, value: Any, least: int, most: int) -> int:
    """The argument as a whole number within these bounds."""
    try:
        number = operator.index(value)
    except TypeError:
        number = None
    if number is None or isinstance(value, bool) or not least <= number <= most:
        raise ValueError(f"{name}: found {short(value)}, expected a whole number from {least} to {most}")
    return number


def choice(name: str, value: Any, choices: Sequence[str]) -> str:
    """The argument, which must be one of these words."""
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{name}: found {short(value)}, expected {one_of([repr(each) for each in choices])}")
    return value


def text(name: str, value: Any, expected: str) -> str:
    """The argument, which must be a string."""
    if not isinstance(value, str):
        raise ValueError(f"{name}: found {short(value)}, expected {expected}")
    return value


def one_of(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " or " + words[-1]


def short(value: Any) -> str:
    """What was found, on one line of bearable length."""
    line = " ".join(repr(value).split())
    return line if len(line) <= 60 else line[:57] + "..."
