"""The Gaussian Lloyd tree, and numbers coded by it."""

from __future__ import annotations

import os
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _kvproof
from ._arguments import numbers, short, whole
from ._kvproof import Table

DEEPEST = 8


def lloyd_table(depth: int = DEEPEST) -> Table:
    """The progressive Gaussian Lloyd tree (ReadKV 3.1, D.1) of this depth, 1 to 8.

    Boundaries and centroids are the exact tree's, rounded once to float32; distortions and gains rounded once to
    float64. The arrays view the table's own memory and cannot be written to.

    >>> table = lloyd_table(2)
    >>> table.boundaries[2]
    array([-0.9815988,  0.       ,  0.9815988], dtype=float32)
    >>> table.gain
    array([0.63661977, 0.24589838])
    """
    return _gaussian(whole("depth", depth, 1, DEEPEST))


@lru_cache(maxsize=DEEPEST)
def _gaussian(depth: int) -> Table:
    return _kvproof.gaussian_table(depth)


def read_table(path: str | os.PathLike[str]) -> Table:
    """A codebook of yours, .json, .safetensors or .npy as `kvproof table lloyd` writes them, of depth 1 to 8.

    Its distortions are its true ones under the normal law.
    """
    try:
        name = os.fsdecode(path)
    except TypeError:
        raise ValueError(f"path: found {short(path)}, expected the name of a file") from None
    return _kvproof.table_of_file(name)


def chosen_table(table: Any) -> Table:
    """The argument, or the table of depth 8 where it is None."""
    if table is None:
        return lloyd_table()
    if not isinstance(table, Table):
        raise ValueError(f"table: found {short(table)}, expected a kvproof.Table")
    return table


def encode(
    x: ArrayLike, *, mean: ArrayLike = 0.0, scale: ArrayLike = 1.0, table: Table | None = None
) -> NDArray[np.uint8]:
    """The codes of (x - mean) / scale: walks down the tree, each W bits, the first split highest.

    x: float32 or float64 of any shape, finite.
    mean, scale: one number each, or one for each channel: [x.shape[-1]]. A channel of scale 0 has the code of 0.
    table: lloyd_table(8) where none is given.

    Every operation is in float64 and rounded once; a number equal to a boundary goes to the upper cell. Gives uint8 in
    the shape of x.

    >>> encode([[-3.0, 0.0, 0.1]])
    array([[  5, 128, 134]], dtype=uint8)
    """
    entries = numbers("x", x)
    mu, sigma = _channels(entries, mean, scale)
    return chosen_table(table).encode(entries, mu, sigma)


def decode(
    codes: NDArray[np.uint8],
    depth: int | None = None,
    *,
    mean: ArrayLike = 0.0,
    scale: ArrayLike = 1.0,
    table: Table | None = None,
) -> NDArray[np.float64]:
    """What the first `depth` bits of codes say: mean + scale * centroid, float64 in the shape of the codes.

    codes: uint8 of any shape, as encode gave them with the same table.
    depth: bits that are read, 0 to W; all where none is given. Depth 0 gives the mean.

    >>> decode(encode([-3.0, 0.0, 0.1]), depth=1)
    array([-0.79788458,  0.79788458,  0.79788458])
    """
    entries = np.asarray(codes)
    if entries.dtype != np.uint8:
        raise ValueError(f"codes: found dtype {entries.dtype}, expected uint8")
    entries = np.asarray(entries, order="C")
    chosen = chosen_table(table)
    bits = chosen.depth if depth is None else whole("depth", depth, 0, chosen.depth)
    mu, sigma = _channels(entries, mean, scale)
    return chosen.decode(entries, bits, mu, sigma)


def _channels(entries: NDArray[Any], mean: ArrayLike, scale: ArrayLike) -> tuple[NDArray[Any], NDArray[Any]]:
    """Means and scales as float64 of one size: one number, or one for each channel."""
    if isinstance(mean, float) and isinstance(scale, float):
        return _one_number("mean", mean), _one_number("scale", scale)
    channels = entries.shape[-1] if entries.ndim else 1
    found = [_checked(name, value, channels) for name, value in (("mean", mean), ("scale", scale))]
    mu, sigma = np.broadcast_arrays(*found)
    return np.ascontiguousarray(mu), np.ascontiguousarray(sigma)


@lru_cache(maxsize=256)
def _one_number(name: str, value: float) -> NDArray[np.float64]:
    array = _checked(name, value, 1)
    array.flags.writeable = False
    return array


def _checked(name: str, value: ArrayLike, channels: int) -> NDArray[np.float64]:
    array = np.asarray(numbers(name, value), dtype=np.float64)
    if array.shape not in ((), (1,), (channels,)):
        raise ValueError(f"{name}: found shape {list(array.shape)}, expected one number or [{channels}]")
    array = array.reshape(-1)
    usable = np.isfinite(array) & ((array >= 0) | (name != "scale"))
    if not usable.all():
        at = int(np.argmin(usable))
        expected = "finite numbers that are not negative" if name == "scale" else "finite numbers"
        raise ValueError(f"{name}: found {array[at]} at {at}, expected {expected}")
    return array
