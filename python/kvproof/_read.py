"""Attention through a compressed cache."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Sequence

import numpy as np
from numpy.typing import NDArray

from . import _kvproof
from ._cache import Array, Calibration, cache, options
from ._kvproof import Table


@dataclass(frozen=True, eq=False)
class Reading:
    """What the attention calls of a cache returned and cost. L in front where the arrays had it."""

    outputs: NDArray[np.float64]
    """[rows, H, d_h], in the coordinates of the values."""
    payload_bits: NDArray[np.uint64]
    """[rows]: code bits that a call read, and 16 a scalar that is kept whole."""
    overhead_bits: NDArray[np.uint64]
    """[rows]: norms, scales, offsets, indices, means, calibration and tables that a call read."""
    stored_bits: int
    """Bits kept for all tokens and layers, with calibration and tables."""
    key_depths: NDArray[np.uint8] | None
    """[rows, G, d_h] with depths=True: the bits read of each number of a key channel."""
    value_depths: NDArray[np.uint8] | None
    """[rows, G, T] with depths=True: the bits read of each number of a value token; 0 behind the query's position."""


def read(
    keys: Array,
    values: Array,
    queries: Array,
    *,
    calibration: Calibration = None,
    reader: str = "readkv:8,4",
    transform: str = "hadamard",
    seed: int = 0,
    value_scale: str = "unit",
    pool: str = "layer",
    rows: Sequence[int] | None = None,
    table: Table | None = None,
    depths: bool = False,
    threads: int = 1,
) -> Reading:
    """Encodes a cache and answers queries from what is stored: ReadKV's two-stage reader, or any other system.

    keys, values: [G, T, d_h], or [L, G, T, d_h] for L layers; after the rotary encoding. float16, float32, float64 or
        bfloat16 (its bits as uint16 will do), viewed where they are in C order.
    queries: [H, Tq, d_h], or [L, H, Tq, d_h]; the last Tq positions.
    calibration: (keys, values) of another text by the same model, with queries for readers that learn from them;
        'self' calibrates on the cache itself; None for readers that need none.
    reader: as `kvproof compare --help` lists them.
    transform: 'hadamard' (d_h a power of two; signs from the seed) or 'identity'.
    value_scale, pool: as `kvproof certify --help` has them.
    rows: query rows to answer, ascending; all where none are given.
    depths: whether the prefix schedules come back too.
    threads: how many share out the rows; the answers do not depend on it.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> keys, values = rng.normal(size=(2, 2, 32, 16))
    >>> queries = rng.normal(size=(4, 3, 16))
    >>> reading = read(keys, values, queries, calibration="self", reader="readkv:8,2", depths=True)
    >>> reading.outputs.shape, reading.key_depths.sum(axis=(1, 2))
    ((3, 4, 16), array([64, 64, 64], dtype=uint64))
    """
    arguments = cache(keys, values, queries, calibration, table)
    chosen = options(reader, transform, seed, value_scale, pool, rows, queries, threads)
    found: dict[str, Any] = _kvproof.read(arguments, chosen, bool(depths))
    arrays = ("outputs", "payload_bits", "overhead_bits", "key_depths", "value_depths")
    if np.ndim(keys) == 3:
        found.update({name: found[name][0] for name in arrays if name in found})
    return Reading(
        found["outputs"],
        found["payload_bits"],
        found["overhead_bits"],
        found["stored_bits"],
        found.get("key_depths"),
        found.get("value_depths"),
    )
