"""A KV cache in numpy arrays, as `read` and `certify` take it."""

from __future__ import annotations

from typing import Any, Literal, Sequence, Tuple, Union

import numpy as np
from numpy.typing import NDArray

from . import _kvproof
from ._arguments import CACHE_FLOATS, choice, numbers, short, text, whole
from ._code import chosen_table
from ._kvproof import Table

Array = NDArray[Any]
Calibration = Union[None, Literal["self"], Tuple[Array, Array], Tuple[Array, Array, Array]]

MOST_THREADS = 1024
EXPECTED_CALIBRATION = "None, 'self', (keys, values) or (keys, values, queries)"


def cache(
    keys: Array, values: Array, queries: Array, calibration: Calibration, table: Table | None
) -> _kvproof.Cache:
    """The arrays, viewed where they are in C order, with a side for layers in front."""
    shown: list[Array] = []
    if isinstance(calibration, (tuple, list)) and len(calibration) in (2, 3):
        names = ("calibration keys", "calibration values", "calibration queries")
        shown = [_layers(name, array) for name, array in zip(names, calibration)]
    elif not (calibration is None or (isinstance(calibration, str) and calibration == "self")):
        raise ValueError(f"calibration: found {short(calibration)}, expected {EXPECTED_CALIBRATION}")
    first, second, third, *_ = *shown, None, None, None
    return _kvproof.Cache(
        _layers("keys", keys),
        _layers("values", values),
        _layers("queries", queries),
        first,
        second,
        third,
        isinstance(calibration, str),
        chosen_table(table),
    )


def options(
    reader: str,
    transform: str,
    seed: int,
    value_scale: str,
    pool: str,
    rows: Sequence[int] | None,
    queries: Array,
    threads: int,
) -> _kvproof.CacheOptions:
    return _kvproof.CacheOptions(
        text("reader", reader, "a name such as 'readkv:8,4'"),
        choice("transform", transform, ("hadamard", "identity")),
        whole("seed", seed, 0, 2**64 - 1),
        choice("value_scale", value_scale, ("unit", "variance")),
        choice("pool", pool, ("layer", "head")),
        _rows(rows, np.shape(queries)[-2]),
        whole("threads", threads, 1, MOST_THREADS),
    )


def _layers(name: str, value: Any) -> Array:
    """[L, heads, rows, d_h]; one layer may come without its side. bfloat16 becomes the uint16 of its bits."""
    array = numbers(name, value, (*CACHE_FLOATS, "uint16"))
    if array.dtype.name == "bfloat16":
        array = array.view(np.uint16)
    if array.ndim not in (3, 4):
        raise ValueError(
            f"{name}: found shape {list(array.shape)}, expected [heads, rows, d_h] or that for each layer"
        )
    return array[np.newaxis] if array.ndim == 3 else array


def _rows(rows: Sequence[int] | None, count: int) -> list[int]:
    if rows is None:
        return list(range(count))
    out = [whole("rows", row, 0, count - 1) for row in rows]
    if not out or any(a >= b for a, b in zip(out, out[1:])):
        raise ValueError(f"rows: found {short(rows)}, expected ascending query rows below {count}")
    return out
