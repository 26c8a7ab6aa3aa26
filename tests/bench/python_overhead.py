#!/usr/bin/env python3
"""What calls of the Python module cost beside numpy doing the same. No part of the tests: prints a table.

usage: ./run python tests/bench/python_overhead.py
"""

import timeit

import numpy as np

import kvproof

TABLE = kvproof.lloyd_table(8)
BOUNDARIES = TABLE.boundaries[8].astype(np.float64)


def numpy_choose_depths(weights, budget):
    """The B largest of all gains, which fall with t: the same depths but for ties."""
    gains = np.multiply.outer(weights, TABLE.gain).reshape(-1)
    chosen = np.argpartition(gains, gains.size - budget)[gains.size - budget :]
    return np.bincount(chosen // TABLE.depth, minlength=weights.size).astype(np.uint8)


def numpy_encode(x):
    """How many boundaries are not above x."""
    return np.searchsorted(BOUNDARIES, x, side="right").astype(np.uint8)


def microseconds(work):
    """The best of several rounds."""
    timer = timeit.Timer(work)
    count, _ = timer.autorange()
    return min(timer.repeat(7, count)) / count * 1e6


def main():
    rng = np.random.default_rng(0)
    print(f"{'':<16}{'entries':>9}{'kvproof us':>12}{'numpy us':>12}{'ratio':>8}")
    for size in (1, 256, 8192, 1_000_000):
        x = rng.normal(size=size)
        weights = x * x
        budget = 4 * size
        assert np.array_equal(kvproof.encode(x), numpy_encode(x))
        assert np.array_equal(
            kvproof.choose_depths(weights, budget=budget).depths, numpy_choose_depths(weights, budget)
        )
        for name, ours, theirs in (
            (
                "choose_depths",
                lambda: kvproof.choose_depths(weights, budget=budget),
                lambda: numpy_choose_depths(weights, budget),
            ),
            ("encode", lambda: kvproof.encode(x), lambda: numpy_encode(x)),
        ):
            mine, others = microseconds(ours), microseconds(theirs)
            print(f"{name:<16}{size:>9}{mine:>12.1f}{others:>12.1f}{mine / others:>8.2f}")


if __name__ == "__main__":
    main()
