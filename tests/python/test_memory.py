"""What is viewed and what is copied."""

import tracemalloc

import numpy as np
import pytest

import kvproof
from kvproof import _cache
from kvproof._arguments import numbers


def test_arrays_in_order_are_viewed(rng):
    for dtype in (np.float32, np.float64):
        array = rng.random((4, 8)).astype(dtype)
        assert np.shares_memory(numbers("x", array), array)
        assert not np.shares_memory(numbers("x", array.T), array)  # which would be another order
    layer = rng.random((2, 8, 4)).astype(np.float16)
    assert np.shares_memory(_cache._layers("keys", layer), layer)


def test_tables_are_views_that_cannot_be_written_to():
    table = kvproof.lloyd_table(8)
    assert np.shares_memory(table.centroids[8], table.centroids[8])
    assert np.shares_memory(table.gain, kvproof.lloyd_table(8).gain)
    for array in (table.gain, table.distortion, table.boundaries[3], table.centroids[0]):
        assert not array.flags.owndata
        with pytest.raises(ValueError):
            array[...] = 0


def test_views_keep_their_table_alive(tmp_path):
    path = tmp_path / "table.npy"
    np.save(path, np.concatenate(kvproof.lloyd_table(4).centroids))
    gain = kvproof.read_table(path).gain
    expected = gain.copy()
    for _ in range(50):
        kvproof.read_table(path)
    assert np.array_equal(gain, expected)


def test_rows_view_the_memory_of_the_library(small_cache):
    found = kvproof.certify(*small_cache, calibration="self")
    assert not found.rows.flags.owndata and found.rows.flags.writeable
    assert np.shares_memory(found.error_sq, found.rows)
    kept = found.bound
    expected = kept.copy()
    del found
    for _ in range(20):
        kvproof.certify(*small_cache, calibration="self")
    assert np.array_equal(kept, expected)


def peak(work):
    """Bytes that numpy and Python took on the way, at most."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_nothing_as_large_as_the_input_is_copied():
    x = np.linspace(-3, 3, 1_000_000)
    room = 100_000
    assert peak(lambda: kvproof.encode(x)) < x.size + room  # the codes
    assert (
        peak(lambda: kvproof.choose_depths(np.abs(x), budget=10)) < x.nbytes + x.size + room
    )  # abs and depths
    assert peak(lambda: kvproof.encode(x[::2])) > x[::2].size * 8  # the measure does see a copy
