"""read against attention in numpy, and against what certify says of the same calls."""

import numpy as np
import pytest

import kvproof


def attention(keys, values, queries):
    """Causal attention in numpy, [rows, H, d_h]."""
    heads, rows, dim = queries.shape
    tokens = keys.shape[1]
    out = np.empty((rows, heads, dim))
    for h in range(heads):
        g = h // (heads // keys.shape[0])
        for i in range(rows):
            seen = tokens - rows + i + 1
            logits = keys[g, :seen] @ queries[h, i] / np.sqrt(dim)
            weights = np.exp(logits - logits.max())
            out[i, h] = weights @ values[g, :seen] / weights.sum()
    return out


def test_dense_is_attention(small_cache):
    keys, values, queries = small_cache
    reading = kvproof.read(keys, values, queries, reader="dense")
    expected = attention(keys, values, queries)
    assert np.allclose(reading.outputs, expected, rtol=1e-12, atol=1e-13)
    assert not np.allclose(reading.outputs, attention(keys, values[::-1], queries), rtol=1e-3)
    seen = np.arange(keys.shape[1] - 4, keys.shape[1] + 1)
    assert np.array_equal(reading.payload_bits, 2 * 2 * 16 * 16 * seen)


@pytest.mark.parametrize("reader", ["readkv:8,4", "readkv:8,1.5,3", "uniform:3", "kivi:2", "turboquant"])
def test_errors_are_those_that_certify_measures(small_cache, reader):
    reading = kvproof.read(*small_cache, calibration="self", reader=reader)
    found = kvproof.certify(*small_cache, calibration="self", reader=reader)
    errors = ((reading.outputs - attention(*small_cache)) ** 2).sum(axis=2).reshape(-1)
    assert np.allclose(found.error_sq, errors, rtol=1e-9)
    assert found.violations == 0
    assert int(reading.payload_bits.sum() + reading.overhead_bits.sum()) == found.bits_read


def test_depths_spend_the_budget(small_cache):
    keys, values, queries = small_cache
    reading = kvproof.read(*small_cache, calibration="self", reader="readkv:8,2,3", depths=True)
    assert reading.key_depths.sum(axis=(1, 2)).tolist() == [2 * 2 * 16] * 5
    seen = np.arange(36, 41)
    assert np.array_equal(reading.value_depths.sum(axis=(1, 2)), 3 * 2 * seen)
    assert all((reading.value_depths[i, :, n:] == 0).all() for i, n in enumerate(seen))
    bits = seen * reading.key_depths.sum(axis=(1, 2)) + 16 * reading.value_depths.sum(axis=(1, 2))
    assert np.array_equal(reading.payload_bits, bits)
    plain = kvproof.read(*small_cache, calibration="self", reader="readkv:8,2,3")
    assert plain.key_depths is None and np.array_equal(plain.outputs, reading.outputs)


def test_threads_give_the_same_bytes(tested, calibration):
    arguments = [array[:2] for array in (tested.keys, tested.values, tested.queries)]
    shown = (calibration.keys[:2], calibration.values[:2])
    one, many = (kvproof.certify(*arguments, calibration=shown, threads=n) for n in (1, 5))
    assert one.rows.tobytes() == many.rows.tobytes()
    one, many = (kvproof.read(*arguments, calibration=shown, depths=True, threads=n) for n in (1, 5))
    for name in ("outputs", "payload_bits", "key_depths", "value_depths"):
        assert getattr(one, name).tobytes() == getattr(many, name).tobytes()


def test_layers_are_the_layers_one_by_one(tested, calibration):
    arguments = (tested.keys, tested.values, tested.queries)
    whole = kvproof.read(*arguments, calibration=(calibration.keys, calibration.values), rows=[0, 63])
    assert whole.outputs.shape == (4, 2, 4, 64)
    for layer in range(4):
        one = kvproof.read(
            *(array[layer] for array in arguments),
            calibration=(calibration.keys[layer], calibration.values[layer]),
            rows=[0, 63],
        )
        assert np.array_equal(one.outputs, whole.outputs[layer])


def test_dtypes_hold_the_same_numbers(small_cache):
    half = [array.astype(np.float16) for array in small_cache]
    expected = kvproof.read(*(array.astype(np.float64) for array in half), calibration="self").outputs
    for dtype in (np.float16, np.float32, ">f4"):
        found = kvproof.read(*(array.astype(dtype) for array in half), calibration="self")
        assert np.array_equal(found.outputs, expected), dtype
    # bfloat16 is the upper half of float32
    rough = [(array.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16) for array in small_cache]
    wide = [(array.astype(np.uint32) << 16).view(np.float32) for array in rough]
    assert np.array_equal(
        kvproof.read(*rough, calibration="self").outputs, kvproof.read(*wide, calibration="self").outputs
    )


def test_a_table_of_ones_own_is_used(small_cache, tmp_path):
    path = tmp_path / "wide.npy"
    np.save(path, np.concatenate(kvproof.lloyd_table(8).centroids) * np.float32(1.5))
    own = kvproof.read(*small_cache, calibration="self", table=kvproof.read_table(path))
    usual = kvproof.read(*small_cache, calibration="self")
    given = kvproof.read(*small_cache, calibration="self", table=kvproof.lloyd_table(8))
    assert np.array_equal(usual.outputs, given.outputs) and not np.array_equal(usual.outputs, own.outputs)
