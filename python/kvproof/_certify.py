"""The error of a reader on a cache, beside its certificates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Sequence

import numpy as np
from numpy.typing import NDArray

from . import _kvproof
from ._arguments import choice
from ._cache import Array, Calibration, cache, options
from ._kvproof import Table


@dataclass(frozen=True, eq=False)
class Certification:
    """One row for each layer, query row and query head, in that order, and the bits of all calls."""

    rows: NDArray[Any]
    """A structured array [L * rows * H] with the columns of `kvproof certify --rows` and more: see rows.dtype.names."""
    bits_read: int
    """Over all calls."""
    dense_bits: int
    """What calls on an uncompressed cache of 16 bits a scalar would have read."""
    stored_bits: int
    """Bits kept for all tokens and layers, with calibration and tables."""
    saturated: int
    """Numbers that did not fit a 16-bit field."""

    @property
    def error_sq(self) -> NDArray[np.float64]:
        """||o - o^||^2 of each row, from above where it is certified."""
        return self.rows["error_sq"]

    @property
    def bound(self) -> NDArray[np.float64]:
        """ReadKV's Proposition 12, an upper bound of error_sq; 0 where a row is not certified."""
        return self.rows["bound"]

    @property
    def sharp_bound(self) -> NDArray[np.float64]:
        """The sharp certificate (docs/sharp-certificate.md), likewise."""
        return self.rows["sharp_bound"]

    @property
    def certified(self) -> NDArray[np.bool_]:
        """Whether the row has bounds: only readers with a prefix schedule leave certificates."""
        return self.rows["certified"]

    @property
    def violations(self) -> int:
        """Certified rows whose error is above one of the bounds."""
        broken = (self.bound < self.error_sq) | (self.sharp_bound < self.error_sq)
        return int(np.count_nonzero(self.certified & broken))


def certify(
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
    centre: str = "mean",
    rows: Sequence[int] | None = None,
    table: Table | None = None,
    threads: int = 1,
) -> Certification:
    """Runs a reader and holds the error of every query head against two proven bounds, every rounding counted.

    The arguments are those of `read`; `centre`, 'mean' or 'zero', is c of ||V - 1c'|| in Proposition 12.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> keys, values = rng.normal(size=(2, 2, 32, 16))
    >>> queries = rng.normal(size=(4, 3, 16))
    >>> found = certify(keys, values, queries, calibration="self")
    >>> found.rows.shape, found.violations
    ((12,), 0)
    >>> bool((found.sharp_bound >= found.error_sq).all())
    True
    """
    arguments = cache(keys, values, queries, calibration, table)
    chosen = options(reader, transform, seed, value_scale, pool, rows, queries, threads)
    middle = choice("centre", centre, ("mean", "zero"))
    return Certification(**_kvproof.certify(arguments, chosen, middle))
