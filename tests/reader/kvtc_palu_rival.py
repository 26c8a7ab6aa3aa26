#!/usr/bin/env python3
"""KVTC and PALU once more, in numpy and by other routes: kvtc_palu_rival.py CAPTURE CALIBRATION NAME... prints NAME, mean
relative error and stored bits, one system a line. check_rivals.py compares them with `kvproof compare`.

KVTC's axes come from an SVD of the calibration rows and not from their covariance, its groups from a table of what the
coordinates to the right cost at best; PALU's transform is the PCA of the projected inputs and not a whitened SVD, its
rotation an explicit matrix. Names: kvtc:BITS and palu:RANK,BITS.
"""
import math
import sys
import zlib
from fractions import Fraction

import numpy as np

from aatc_rival import coded_tokens, principal, read_safetensors, softmax_rows, turn

SIZES, TYPES = (1, 16, 64, 256, 1024), (0, 2, 4, 8)
FIRST = 4


def uniform(x, bits):
    """Shift, scale and codes of rows [T, size], each a group."""
    x = np.clip(x, -65504, 65504)
    low, high = x.min(axis=1, keepdims=True), x.max(axis=1, keepdims=True)
    shift = low.astype(np.float16)
    scale = ((high - low) / (2 ** bits - 1)).astype(np.float16)
    steps = np.where(scale > 0, scale, 1).astype(float)
    codes = np.rint(np.clip((x - shift.astype(float)) / steps, 0, 2 ** bits - 1))
    return shift, scale, np.where(scale > 0, codes, 0)


def decoded(shift, scale, codes):
    return shift.astype(float) + codes * scale.astype(float)


def group_cost(size, bits):
    return 32 + size * bits if bits else 0


def best_groups(y, budget):
    """Groups [(first, size, bits)] of least squared error on the rows y, from the right."""
    n = y.shape[1]
    best = [None] * n + [np.zeros(budget + 1)]  # of coordinates i.. for at most so many bits
    choice = [None] * n
    for i in reversed(range(n)):
        best[i] = np.full(budget + 1, np.inf)
        choice[i] = [None] * (budget + 1)
        for size in (s for s in SIZES if i + s <= n):
            part = y[:, i:i + size]
            for bits in TYPES:
                cost = group_cost(size, bits)
                if cost > budget:
                    continue
                back = decoded(*uniform(part, bits)) if bits else np.zeros_like(part)
                found = ((part - back) ** 2).sum() + best[i + size][:budget + 1 - cost]
                better = np.flatnonzero(found < best[i][cost:])
                best[i][cost + better] = found[better]
                for left in better:
                    choice[i][cost + left] = (i, size, bits)
    groups, i, left = [], 0, budget
    while i < n:
        groups.append(choice[i][left])
        i, left = i + groups[-1][1], left - group_cost(*groups[-1][1:])
    return [group for group in groups if group[2]]


class Kvtc:
    def __init__(self, rows, bits):
        self.n = rows.shape[1]
        self.mean = rows.mean(axis=0)
        _, spread, vt = np.linalg.svd(rows - self.mean, full_matrices=True)
        rank = int((spread ** 2 > self.n * 2.0 ** -52 * spread[0] ** 2).sum())
        self.axes = vt * np.sign(vt[np.arange(self.n), np.abs(vt).argmax(axis=1)])[:, None]
        self.groups = best_groups((rows - self.mean) @ self.axes[:rank].T, math.floor(bits * self.n))

    def run(self, rows):
        """What rows decode to, and the bits of their stream and of what was learnt."""
        y = (rows - self.mean) @ self.axes.T
        back, stream = np.zeros_like(y), b""
        for first, size, bits in self.groups:
            shift, scale, codes = uniform(y[:, first:first + size], bits)
            back[:, first:first + size] = decoded(shift, scale, codes)
            ones = (codes.astype(np.uint8)[:, :, None] >> np.arange(bits)) & 1
            stream += np.concatenate([shift, scale], axis=1).astype("<f2").tobytes()
            stream += np.packbits(ones.astype(np.uint8).reshape(-1), bitorder="little").tobytes()
        deflate = zlib.compressobj(9, zlib.DEFLATED, -15, 8)
        size = len(deflate.compress(stream) + deflate.flush()) if stream else 0
        return back @ self.axes + self.mean, 8 * size + 16 * self.n + 24 * len(self.groups)


class Palu:
    def __init__(self, projected, heads, d, rank, bits):
        self.bits, self.rank, self.parts = bits, rank, []
        block = rank & -rank
        hadamard = np.ones((1, 1))
        while len(hadamard) < block:
            hadamard = np.block([[hadamard, hadamard], [hadamard, -hadamard]])
        self.rotation = np.kron(np.eye(rank // block), hadamard / math.sqrt(block))
        for first in range(0, heads, 4):
            columns = slice(first * d, min(first + 4, heads) * d)
            p, s = principal(projected[:, columns])
            self.parts.append((columns, p[:, :rank], s[:rank]))

    def run(self, rows):
        out, bits = np.zeros_like(rows), 0
        for columns, p, s in self.parts:
            h = np.zeros((len(rows), self.rank))
            h[:, :len(s)] = rows[:, columns] @ p / np.sqrt(s)
            back = decoded(*uniform(h @ self.rotation.T, self.bits)) @ self.rotation
            out[:, columns] = back[:, :len(s)] * np.sqrt(s) @ p.T
            bits += len(rows) * (self.rank * self.bits + 32)
        return out, bits


def run(name, test, calibration, every=1):
    """Mean relative error over each so many-th query, and the stored bits."""
    family, parameters = name.split(":")
    meta, tensors = calibration
    layers, heads, kv, d = (int(meta[key]) for key in ("layers", "H", "G", "d_h"))
    errors, stored = [], 0
    for layer in range(layers):
        def rows_of(source, part, layer=layer):
            x = source[1][f"layers.{layer}.{part}"]
            x = turn(x, -np.arange(x.shape[1]), meta) if part == "k" else x
            return x.transpose(1, 0, 2).reshape(x.shape[1], -1)

        q, whole = test[1][f"layers.{layer}.q"], {p: test[1][f"layers.{layer}.{p}"] for p in "kv"}
        tokens = q.shape[1] + int(test[0]["q_pos0"])
        last = coded_tokens(tokens)
        coded = {}
        for part in "kv":
            if family == "kvtc":
                code = Kvtc(rows_of(calibration, part), Fraction(parameters))
            else:
                rank, bits = map(int, parameters.split(","))
                code = Palu(tensors[f"layers.{layer}.x"] @ tensors[f"layers.{layer}.w{part}"], kv, d, rank, bits)
            rows = rows_of(test, part).copy()  # of one head it is a view of the capture
            rows[FIRST:FIRST + last], size = code.run(rows[FIRST:FIRST + last])
            stored += size + 16 * kv * d * (tokens - last)
            x = rows.reshape(tokens, kv, d).transpose(1, 0, 2)
            coded[part] = turn(x, np.arange(tokens), meta) if part == "k" else x
        for row in range(0, q.shape[1], every):
            seen = tokens - q.shape[1] + row + 1
            old = np.zeros(seen, bool)
            old[FIRST:FIRST + coded_tokens(seen)] = True
            for h in range(heads):
                g = h * kv // heads
                k, v = (whole[part][g, :seen] for part in "kv")
                mixed_k, mixed_v = (np.where(old[:, None], coded[part][g, :seen], whole[part][g, :seen])
                                    for part in "kv")
                exact = softmax_rows(k @ q[h, row] / math.sqrt(d)) @ v
                found = softmax_rows(mixed_k @ q[h, row] / math.sqrt(d)) @ mixed_v
                errors.append(((found - exact) ** 2).sum() / (exact ** 2).sum())
    return float(np.mean(errors)), stored


def main():
    test, calibration = read_safetensors(sys.argv[1]), read_safetensors(sys.argv[2])
    for name in sys.argv[3:]:
        print(name, *map(repr, run(name, test, calibration)))


if __name__ == "__main__":
    main()
