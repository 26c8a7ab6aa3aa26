#!/usr/bin/env python3
"""What `kvproof certify --reader readkv:8,RATE` computes, in numpy: certify_rival.py CAPTURE TABLE [options].

TABLE is `kvproof table lloyd --format json`. Everything is vectorised over heads, products go to BLAS (symmetric ones
to syrk, as numpy does for x.T @ x), and what only depends on the layer is computed once: the reconstructions of all
depths, the running sums of ||V - 1c'||. Rows that cannot matter are left out of weighted covariances, as in kvproof.
Doubles throughout, no rounding counted. Rows go to stdout as csv, times (CPU) to stderr as JSON.
"""
import argparse
import json
import os
import struct
import sys
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np  # noqa: E402

COLUMNS = ("layer", "head", "position", "error_sq", "A_K", "S_K", "A_V", "S_V", "kappa_K", "kappa_V",
           "centre_norm_sq", "bound", "sharp_bound")
DEPTH = 8
products = 0.0  # CPU seconds in matrix products and eigenvalues


def timed(function):
    """Counts a function's CPU time as that of matrix products and eigenvalues."""

    def run(*arguments):
        global products
        begun = time.process_time()
        out = function(*arguments)
        products += time.process_time() - begun
        return out

    return run


@timed
def product(a, b):
    return a @ b


@timed
def largest_of_gram(rows):
    """The largest eigenvalue of rows' rows: of the smaller side."""
    return np.linalg.eigvalsh(rows.T @ rows if rows.shape[0] >= rows.shape[1] else rows @ rows.T)[-1]


@timed
def largest(matrix):
    return np.linalg.eigvalsh(matrix)[-1]


# ---- files ----


def read_safetensors(path):
    with open(path, "rb") as file:
        data = file.read()
    (length,) = struct.unpack("<Q", data[:8])
    out = {}
    for name, entry in json.loads(data[8:8 + length]).items():
        if name == "__metadata__" or not name.endswith((".q", ".k", ".v")):
            continue
        begin, end = (8 + length + offset for offset in entry["data_offsets"])
        if entry["dtype"] == "BF16":
            values = (np.frombuffer(data[begin:end], "<u2").astype("<u4") << 16).view("<f4")
        else:
            values = np.frombuffer(data[begin:end], {"F16": "<f2", "F32": "<f4", "F64": "<f8"}[entry["dtype"]])
        out[name] = values.reshape(entry["shape"]).astype(np.float64)
    return out


class Table:
    """The code rounded to binary32 and the exact code's numbers in binary64."""

    def __init__(self, path):
        with open(path) as file:
            levels = json.load(file)["levels"]
        self.boundaries = np.array(levels[DEPTH]["boundaries"], np.float64).astype(np.float32).astype(np.float64)
        self.centroids = [np.array(level["centroids"], np.float64).astype(np.float32).astype(np.float64)
                          for level in levels]
        self.distortion = np.array([level["distortion"] for level in levels], np.float64)
        self.gain = np.array([level["gain"] for level in levels[1:]], np.float64)


# ---- the transform ----


def philox(counter, key):
    """Philox4x32-10 (Salmon et al., 2011)."""
    x, k = list(counter), list(key)
    for _ in range(10):
        a, b = 0xD2511F53 * x[0], 0xCD9E8D57 * x[2]
        x = [(b >> 32) ^ x[1] ^ k[0], b & 0xFFFFFFFF, (a >> 32) ^ x[3] ^ k[1], a & 0xFFFFFFFF]
        k = [(k[0] + 0x9E3779B9) & 0xFFFFFFFF, (k[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return x


def hadamard(d, stream, seed=0):
    """x @ the result is U x for rows x: signs first, then Sylvester's matrix."""
    h = np.ones((1, 1))
    while len(h) < d:
        h = np.block([[h, h], [h, -h]])
    signs = np.ones(d)
    for i in range(d):
        if i % 128 == 0:
            block = philox((0, 0, stream, i // 128), (seed & 0xFFFFFFFF, seed >> 32))
        if block[i // 32 % 4] >> (i % 32) & 1:
            signs[i] = -1
    return signs[:, None] * h / np.sqrt(d)


# ---- one layer ----


class Layer:
    def __init__(self, q, k, v, calibration, table, turns):
        heads, kv_heads = len(q), len(k)
        self.q, self.k, self.v = q, k, v
        self.sharing = heads // kv_heads
        d = q.shape[2]
        self.tq = product(q, turns[0]).reshape(kv_heads, self.sharing, q.shape[1], d)
        self.tk = np.ascontiguousarray(product(k, turns[0]).transpose(0, 2, 1))  # [G, d, T]
        self.tv = product(v, turns[1])  # [G, T, d]
        cal_k, cal_v = product(calibration[0], turns[0]), product(calibration[1], turns[1])
        self.key_scale = cal_k.std(axis=1)  # [G, d]
        self.keys = self.all_depths(self.tk, cal_k.mean(axis=1)[:, :, None], self.key_scale[:, :, None], table)
        self.values = self.all_depths(self.tv, cal_v.mean(axis=1)[:, None], cal_v.std(axis=1)[:, None], table)
        # of ||V - 1c'||: sums about the mean of all tokens
        self.about = v - v.mean(axis=1, keepdims=True)
        self.seen = 0
        self.second = np.zeros((kv_heads, d, d))
        self.first = np.zeros((kv_heads, d))

    @staticmethod
    def all_depths(x, mean, scale, table):
        """[depth, ...]: x encoded and read back to every depth."""
        z = np.divide(x - mean, scale, out=np.zeros_like(x), where=scale != 0)
        codes = np.searchsorted(table.boundaries, z, side="right")
        return np.stack([mean + scale * table.centroids[t][codes >> (DEPTH - t)] for t in range(DEPTH + 1)])

    def centre_norms(self, tokens):
        """||V - 1c'||^2 for each KV head."""
        new = self.about[:, self.seen:tokens]
        self.second += product(new.transpose(0, 2, 1), new)
        self.first += new.sum(axis=1)
        self.seen = tokens
        return [largest(s - np.outer(f, f) / tokens) for s, f in zip(self.second, self.first)]


def choose_depths(weights, gain, budget):
    """The `budget` largest positive gains; equal ones: the lower item first. Gains fall with depth."""
    gains = np.multiply.outer(weights.ravel(), gain)
    flat = gains.ravel()
    if budget >= flat.size:
        return (gains > 0).sum(axis=1).reshape(weights.shape)
    if budget == 0:
        return np.zeros(weights.shape, int)
    cut = np.partition(flat, flat.size - budget)[flat.size - budget]
    if cut <= 0:
        return (gains > 0).sum(axis=1).reshape(weights.shape)
    depths = (gains > cut).sum(axis=1)
    ties = np.flatnonzero(flat == cut)[:budget - depths.sum()]
    np.add.at(depths, ties // len(gain), 1)
    return depths.reshape(weights.shape)


def softmax(z):
    most = z.max(axis=-1, keepdims=True)
    e = np.exp(z - most)
    return e / e.sum(axis=-1, keepdims=True)


def weighted_spread(rows, squares, weights):
    """lambda_max(sum_j w_j r_j r_j'); rows without weight count by their trace."""
    shares = weights * squares
    keep = shares > shares.sum() * 1e-4 / (rows.shape[1] * len(shares))
    if not keep.any():
        return 0.0
    kept = rows[keep] * np.sqrt(weights[keep])[:, None]
    return largest_of_gram(kept) + shares[~keep].sum()


def certify_row(layer, number, row, table, rate, inverse):
    d = layer.q.shape[2]
    kv_heads = len(layer.k)
    position = layer.k.shape[1] - layer.q.shape[1] + row
    n = position + 1
    g = np.arange(kv_heads)[:, None]
    queries = layer.tq[:, :, row]  # [G, s, d]

    # the two-stage reader
    key_weights = np.square(queries * layer.key_scale[:, None]).sum(axis=1)
    key_depths = choose_depths(key_weights, table.gain, int(rate * key_weights.size))
    keys = layer.keys[..., :n][key_depths, g, np.arange(d)]  # [G, d, n]
    z0 = product(queries, keys) / np.sqrt(d)
    reader = softmax(z0)  # [G, s, n]
    value_weights = np.square(reader).sum(axis=1)
    value_depths = choose_depths(value_weights, table.gain, int(rate * value_weights.size))
    values = layer.values[value_depths, g, np.arange(n)]  # [G, n, d]
    returned = product(product(reader, values), inverse)

    # exact attention
    raw = layer.v[:, :n]
    q = layer.q[:, row].reshape(kv_heads, layer.sharing, d)
    z1 = product(q, layer.k[:, :n].transpose(0, 2, 1)) / np.sqrt(d)
    exact = softmax(z1)
    change = z1 - z0
    error_sq = np.square(product(exact, raw) - returned).sum(axis=2)

    # Proposition 12
    key_errors = layer.tk[:, :, :n] - keys
    value_errors = layer.tv[:, :n] - values
    key_squares = np.einsum("gcn,gcn->gc", key_errors, key_errors)
    value_squares = np.einsum("gnc,gnc->gn", value_errors, value_errors)
    a_k = (np.square(queries) * key_squares[:, None]).sum(axis=2) / d
    s_k = (np.square(queries * layer.key_scale[:, None]) * table.distortion[key_depths][:, None]).sum(axis=2) * n / d
    a_v = (np.square(reader) * value_squares[:, None]).sum(axis=2)
    s_v = (np.square(reader) * table.distortion[value_depths][:, None]).sum(axis=2)
    with np.errstate(divide="ignore"):
        key_scale = np.where(key_squares > 0, 1 / np.sqrt(key_squares), 0)
        value_scale = np.where(value_squares > 0, 1 / np.sqrt(value_squares), 0)
    kappa_k = np.array([largest_of_gram(e) for e in (key_errors * key_scale[:, :, None]).transpose(0, 2, 1)])
    kappa_v = np.array([largest_of_gram(e) for e in value_errors * value_scale[:, :, None]])
    centre = np.array(layer.centre_norms(n))
    bound = 0.5 * (centre * kappa_k)[:, None] * a_k + 2 * kappa_v[:, None] * a_v

    # the sharp bound
    middle = (exact + reader) / 2
    centres = product(middle, raw)  # [G, s, d]
    discrimination = (np.square(exact - reader) / np.maximum(middle, 1e-300)).sum(axis=2)
    sharp = np.empty_like(bound)
    for h in np.ndindex(sharp.shape):
        centred = raw[h[0]] - centres[h]
        squares = np.einsum("nc,nc->n", centred, centred)
        by_spread = np.sqrt(weighted_spread(centred, squares, middle[h]) * discrimination[h])
        transport = np.abs(exact[h] - reader[h]) @ np.sqrt(squares)
        value = min(np.sqrt(kappa_v[h[0]] * a_v[h]), reader[h] @ np.sqrt(value_squares[h[0]]),
                    np.sqrt(weighted_spread(value_errors[h[0]], value_squares[h[0]], reader[h])))
        sharp[h] = (min(by_spread, transport) + value) ** 2
    return [(number, h[0] * layer.sharing + h[1], position, error_sq[h], a_k[h], s_k[h], a_v[h], s_v[h],
             kappa_k[h[0]], kappa_v[h[0]], centre[h[0]], bound[h], sharp[h]) for h in np.ndindex(sharp.shape)]


def certify(capture, calibration, table, every, rate, layers):
    count = sum(name.endswith(".q") for name in capture)
    d = capture["layers.0.q"].shape[2]
    turns = hadamard(d, 0), hadamard(d, 1)
    rows = []
    for number in range(count if layers is None else layers):
        tensors = [capture[f"layers.{number}.{x}"] for x in "qkv"]
        layer = Layer(*tensors, [calibration[f"layers.{number}.{x}"] for x in "kv"], table, turns)
        for row in range(0, tensors[0].shape[1], every):
            rows += certify_row(layer, number, row, table, rate, turns[1].T)
    return rows


def blas():
    """The libraries that numpy's products run on, from what is mapped."""
    with open("/proc/self/maps") as maps:
        return sorted({line.split()[-1] for line in maps if "blas" in line or "lapack" in line})


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("capture")
    parser.add_argument("table")
    parser.add_argument("--calibration")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--rate", type=float, default=4)
    parser.add_argument("--layers", type=int)
    options = parser.parse_args()
    capture = read_safetensors(options.capture)
    calibration = read_safetensors(options.calibration) if options.calibration else capture
    table = Table(options.table)
    np.linalg.eigvalsh(np.eye(2))  # loads what is loaded late
    begun, inside = time.process_time(), products
    rows = certify(capture, calibration, table, options.every, options.rate, options.layers)
    seconds = time.process_time() - begun
    print(",".join(COLUMNS))
    for row in rows:
        print(",".join(map(repr, (*row[:3], *map(float, row[3:])))))
    json.dump({"observations": len(rows), "seconds": seconds, "products": products - inside, "blas": blas()}, sys.stderr)


if __name__ == "__main__":
    main()
