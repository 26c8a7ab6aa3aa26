"""Whatever is wrong is a ValueError of one line: the argument, what was found, what was expected."""

import numpy as np
import pytest

import kvproof

RNG = np.random.default_rng(5)
KEYS, VALUES = RNG.normal(size=(2, 2, 8, 4))
QUERIES = RNG.normal(size=(4, 3, 4))
NAN = KEYS.copy()
NAN[1, 2, 3] = np.nan


def cache(keys=KEYS, values=VALUES, queries=QUERIES, **options):
    return lambda: kvproof.read(keys, values, queries, **({"calibration": "self"} | options))


REFUSED = {
    "weights[2]: found infinity, expected": lambda: kvproof.choose_depths([1.0, 2.0, np.inf], budget=1),
    "weights[0]: found a negative number, expected a finite number not below 0": lambda: kvproof.choose_depths(
        np.float32([-1]), budget=1
    ),
    "weights: found dtype int64, expected float32 or float64": lambda: kvproof.choose_depths(
        np.arange(3), budget=1
    ),
    "weights: found ['x'], expected an array of numbers": lambda: kvproof.choose_depths(["x"], budget=1),
    "budget: found -1, expected a whole number from 0": lambda: kvproof.choose_depths([1.0], budget=-1),
    "budget: found 1.5, expected a whole number": lambda: kvproof.choose_depths([1.0], budget=1.5),
    "budget: found True, expected a whole number": lambda: kvproof.choose_depths([1.0], budget=True),
    "stored: found 9, expected a whole number from 1 to 8": lambda: kvproof.choose_depths(
        [1.0], stored=9, budget=1
    ),
    "gains: found shape [2], expected [3]": lambda: kvproof.choose_depths(
        [1.0], 3, budget=1, gains=[1.0, 0.5]
    ),
    "gains: found dtype float64, expected float32": lambda: kvproof.choose_depths(
        np.float32([1]), 1, budget=1, gains=np.array([1.0])
    ),
    "gains[0]: found NaN": lambda: kvproof.choose_depths([1.0], 1, budget=1, gains=[np.nan]),
    "depth: found 0, expected a whole number from 1 to 8": lambda: kvproof.lloyd_table(0),
    "x: found nan at 5, expected finite numbers": lambda: kvproof.encode(
        np.array([[1, 2, 3], [4, 5, np.nan]])
    ),
    "x: found inf at 5001": lambda: kvproof.encode(np.r_[np.zeros(5001), np.inf].astype(np.float32)),
    "x: found dtype complex128": lambda: kvproof.encode(np.array([1j])),
    "mean: found shape [2], expected one number or [3]": lambda: kvproof.encode(
        np.zeros((2, 3)), mean=[1.0, 2.0]
    ),
    "scale: found -1.0 at 1, expected finite numbers that are not negative": lambda: kvproof.encode(
        np.zeros(2), scale=[1.0, -1.0]
    ),
    "scale: found nan at 0, expected finite": lambda: kvproof.encode(np.zeros(2), scale=np.nan),
    "codes: found dtype int64, expected uint8": lambda: kvproof.decode(np.zeros(2, np.int64)),
    "codes: found 4 at 1, expected codes below 4": lambda: kvproof.decode(
        np.array([0, 4], np.uint8), table=kvproof.lloyd_table(2)
    ),
    "depth: found 3, expected a whole number from 0 to 2": lambda: kvproof.decode(
        np.zeros(1, np.uint8), 3, table=kvproof.lloyd_table(2)
    ),
    "keys: found dtype int64, expected float16": cache(keys=np.zeros((2, 8, 4), np.int64)),
    "keys: found shape [8, 4], expected [heads, rows, d_h]": cache(keys=KEYS[0]),
    "values: found shape [1, 2, 7, 4], expected [1, 2, 8, 4] as of the keys": cache(values=VALUES[:, :7]),
    "queries: found shape [1, 3, 3, 4], expected [L, H, Tq, d_h] with H a multiple of G": cache(
        queries=QUERIES[:3]
    ),
    "queries: found shape [1, 4, 9, 4], expected": cache(queries=np.zeros((4, 9, 4))),
    "keys: found shape [1, 2, 0, 4], expected sides from 1": cache(keys=KEYS[:, :0], values=VALUES[:, :0]),
    'tensor "keys": found nan at [1, 2, 3], expected finite numbers': cache(keys=NAN),
    'tensor "calibration values": found nan at [1, 2, 3]': cache(calibration=(KEYS, NAN)),
    "calibration: found 1 layers, 2 KV heads, d_h = 2, expected 1 layers, 2 KV heads, d_h = 4": cache(
        calibration=(KEYS[:, :, :2], VALUES[:, :, :2])
    ),
    "calibration: found none, expected (keys, values) or": cache(calibration=None),
    "calibration: found 'other', expected None, 'self'": cache(calibration="other"),
    'system "readky:8,4": no such system; expected one of': cache(reader="readky:8,4"),
    "reader: found 4, expected a name": cache(reader=4),
    "transform: found 'dct', expected 'hadamard' or 'identity'": cache(transform="dct"),
    "found a head dimension of 3, expected a power of two": cache(
        KEYS[..., :3], VALUES[..., :3], QUERIES[..., :3]
    ),
    "seed: found -1, expected": cache(seed=-1),
    "pool: found 'heads', expected 'layer' or 'head'": cache(pool="heads"),
    "rows: found [2, 1], expected ascending": cache(rows=[2, 1]),
    "rows: found 3, expected a whole number from 0 to 2": cache(rows=[3]),
    "threads: found 0, expected": cache(threads=0),
    "table: found 8, expected a kvproof.Table": cache(table=8),
    "depths: found the reader": cache(reader="kivi:2", depths=True),
    "centre: found 'median', expected 'mean' or 'zero'": lambda: kvproof.certify(
        KEYS, VALUES, QUERIES, calibration="self", centre="median"
    ),
    "expected causal:T": lambda: kvproof.account("qwen2.5-7b", run="casual:5"),
    'model: found "gpt", expected': lambda: kvproof.account("gpt"),
    "capacity_at: found 0, expected": lambda: kvproof.account("qwen2.5-7b", capacity_at=0),
    'family "hypercub:3": expected hypercube:d': lambda: kvproof.probe("hypercub:3", 1, 1),
    'reader class "all": expected oblivious': lambda: kvproof.probe("hypercube:3", 1, 1, "all"),
    "bits: found 33, expected a whole number from 0 to 32": lambda: kvproof.probe("hypercube:3", 33, 1),
    "time_limit: found -1, expected seconds": lambda: kvproof.probe("hypercube:3", 1, 1, time_limit=-1),
    'no claim matches "readkv.lemma77"': lambda: kvproof.verify("readkv.lemma77"),
    "effort: found 'most', expected 'default' or 'full'": lambda: kvproof.verify(effort="most"),
    "missing.json": lambda: kvproof.verify("readkv.lemma7*", codebook="missing.json"),
    "weights: found a masked array, expected": lambda: kvproof.choose_depths(
        np.ma.masked_array([1.0]), budget=1
    ),
    "table: found 3, expected a kvproof.Table": lambda: kvproof.encode([1.0], table=3),
    "path: found 3, expected the name of a file": lambda: kvproof.read_table(3),
    "arrays: __metadata__: found no rope_style": cache(reader="aatc:2.5"),
    'reader "calibration": found a calibration capture without queries': cache(
        calibration=(KEYS, VALUES), reader="calibration:8,2,2"
    ),
    'tensor "queries": found inf at [0, 0, 0]': cache(queries=np.full((4, 3, 4), np.inf)),
    'layer 1: tensor "keys": found nan at [1, 2, 3]': cache(
        keys=np.stack([KEYS, NAN]), values=np.stack([VALUES, VALUES]), queries=np.stack([QUERIES, QUERIES])
    ),
    "missing.npy": lambda: kvproof.read_table("missing.npy"),
}


@pytest.mark.parametrize("line", REFUSED)
def test_one_line(line):
    with pytest.raises(ValueError) as refusal:
        REFUSED[line]()
    assert line in str(refusal.value)
    assert "\n" not in str(refusal.value)
