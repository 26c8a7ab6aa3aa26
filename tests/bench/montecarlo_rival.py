#!/usr/bin/env python3
"""What `kvproof montecarlo remainder` computes, in numpy: montecarlo_rival.py TRIALS [--tokens T] [--size A0] [--seed S].

The same experiment by the same formula, everything vectorised over trials and tokens in batches that stay in the
cache; numpy's own generator, so other draws. Prints the means and standard deviations of both metrics, and the CPU
time by time.process_time.
"""
import argparse
import json
import math
import os
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np  # noqa: E402

TERMS = 21  # of the series of (e^x - 1 - x - x^2/2) / x^3, as in kvproof
BATCH = 128  # trials at once; the fastest of 32 to 4096 for 64 tokens


def remainders(rng, trials, tokens, size, spread=1.0):
    """sum |r_i| / A_0^3 and max |r_i| / A_0^3 of so many trials: normal logits, noise of -A_0 or A_0."""
    logits = rng.standard_normal((trials, tokens))
    y = rng.integers(0, 2, (trials, tokens), dtype=np.int8) * 2.0 - 1.0
    logits -= logits.max(axis=1, keepdims=True)
    a = np.exp(spread * logits)
    a /= a.sum(axis=1, keepdims=True)
    y -= np.einsum("ij,ij->i", a, y)[:, None]
    x = size * y
    q = np.full_like(x, 1 / math.factorial(TERMS + 2))
    for n in range(TERMS - 2, -1, -1):
        q *= x
        q += 1 / math.factorial(n + 3)
    square = y * y
    q *= square
    q *= y
    second = np.einsum("ij,ij->i", a, square)[:, None]
    third = np.einsum("ij,ij->i", a, q)[:, None]
    excess = square
    excess -= second
    bracket = q - second * (0.5 * y + 0.25 * size * excess) - third * (1 + size * (y + 0.5 * size * excess))
    r = np.abs(bracket, out=bracket)
    r *= a
    scale = 1 + size * size * (0.5 * second + size * third)
    r /= scale
    return r.sum(axis=1), r.max(axis=1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("trials", type=int)
    parser.add_argument("--tokens", type=int, default=64)
    parser.add_argument("--size", type=float, default=0.25)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--batch", type=int, default=BATCH)
    options = parser.parse_args()
    rng = np.random.Generator(np.random.SFC64(options.seed))  # numpy's fastest
    begun = time.process_time()
    sums, tops = [], []
    for begin in range(0, options.trials, options.batch):
        one, two = remainders(rng, min(options.batch, options.trials - begin), options.tokens, options.size)
        sums.append(one)
        tops.append(two)
    spent = time.process_time() - begun
    out = {}
    for name, parts in (("sum", sums), ("largest", tops)):
        values = np.concatenate(parts)
        out[name] = {"mean": values.mean(), "deviation": values.std(ddof=1), "greatest": values.max()}
    print(json.dumps({"trials": options.trials, "metrics": out, "seconds": spent,
                      "ns_per_token": spent / options.trials / options.tokens * 1e9}))


if __name__ == "__main__":
    main()
