#!/usr/bin/env python3
"""Certifies a KV cache that is held in numpy arrays.

usage: certify_cache.py [CACHE.npz]

The file holds `keys` and `values` [G, T, d_h], `queries` [H, Tq, d_h], and perhaps `calibration_keys` and
`calibration_values` from another text by the same model. Without a file, a cache is made up: channels of unequal scale,
as keys have them, and queries that attend to a few tokens.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

import kvproof

KV_HEADS, QUERY_HEADS, TOKENS, QUERIES, DIM = 2, 4, 256, 8, 64


def made_up_cache(seed: int) -> dict[str, NDArray[Any]]:
    """A cache of one layer, whole multiples of 2^-10, so that it is the same on every machine."""
    rng = np.random.default_rng(seed)

    def normal(heads: int, rows: int) -> NDArray[np.float32]:
        # the sum of twelve uniforms: no logarithm, whose last bit could differ
        draws = rng.integers(0, 2**10, size=(12, heads, rows, DIM)).sum(axis=0) - 6 * 2**10
        return np.asarray(draws / 2**10, dtype=np.float32)

    channels = (1 + np.arange(DIM) % 7).astype(np.float32) / 4
    keys = normal(KV_HEADS, TOKENS) * channels
    queries = normal(QUERY_HEADS, QUERIES) / channels
    return {"keys": keys, "values": normal(KV_HEADS, TOKENS), "queries": queries}


def main(arguments: list[str]) -> int:
    if arguments:
        cache = dict(np.load(arguments[0]))
    else:
        cache, other = made_up_cache(0), made_up_cache(1)
        cache |= {"calibration_keys": other["keys"], "calibration_values": other["values"]}
    calibration: kvproof.Calibration = "self"
    if "calibration_keys" in cache and "calibration_values" in cache:
        calibration = (cache["calibration_keys"], cache["calibration_values"])

    print(
        f"{'reader':<12}{'mean error':>12}{'mean sharp':>12}{'mean bound':>12}{'reads':>9}{'violations':>12}"
    )
    violations = 0
    for reader in ("readkv:8,2", "readkv:8,3", "readkv:8,4", "full:8"):
        found = kvproof.certify(
            cache["keys"],
            cache["values"],
            cache["queries"],
            calibration=calibration,
            reader=reader,
            threads=2,
        )
        violations += found.violations
        print(
            f"{reader:<12}{found.error_sq.mean():>12.3e}{found.sharp_bound.mean():>12.3e}{found.bound.mean():>12.3e}"
            f"{found.bits_read / found.dense_bits:>9.1%}{found.violations:>12}"
        )
    print(
        "errors and bounds are squared Euclidean norms over d_h; the sharp bound and Proposition 12's each hold"
    )
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
