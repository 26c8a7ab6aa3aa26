#!/usr/bin/env python3
"""AATC once more, in numpy and by another route: aatc_rival.py CAPTURE CALIBRATION NAME... prints NAME, mean relative
error and average bits of keys and values, one system a line. check_rivals.py compares them with `kvproof compare`.

The transform is the PCA of the projected inputs (Proposition 1) and not a whitened SVD; bits are raised one by one;
the window is a queue. Names: aatc:BITS and aatc-var:BITS with any of ,plain ,repaired ,groups=N.
"""
import json
import math
import struct
import sys
from decimal import Decimal
from fractions import Fraction

import numpy as np


def read_safetensors(path):
    with open(path, "rb") as file:
        data = file.read()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + length])
    meta = header.pop("__metadata__", {})
    out = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        raw = data[8 + length + begin:8 + length + end]
        if entry["dtype"] == "BF16":
            flat = (np.frombuffer(raw, "<u2").astype(np.uint32) << 16).view(np.float32)
        elif entry["dtype"] in ("F16", "F32", "F64"):
            flat = np.frombuffer(raw, {"F16": "<f2", "F32": "<f4", "F64": "<f8"}[entry["dtype"]])
        else:
            continue
        out[name] = flat.astype(np.float64).reshape(entry["shape"])
    return meta, out


def turn(x, positions, meta):
    """The rotary encoding of x [..., positions, d]."""
    d = x.shape[-1]
    speeds = float(meta["rope_theta"]) ** (-2 * np.arange(d // 2) / d)
    angles = np.asarray(positions)[:, None] * speeds
    half = meta["rope_style"] == "half"
    u, v = (x[..., :d // 2], x[..., d // 2:]) if half else (x[..., 0::2], x[..., 1::2])
    a, b = u * np.cos(angles) - v * np.sin(angles), u * np.sin(angles) + v * np.cos(angles)
    if half:
        return np.concatenate([a, b], axis=-1)
    return np.stack([a, b], axis=-1).reshape(x.shape)


def principal(cache):
    """P and S of Proposition 1 from the projected inputs [T, n], without the directions that they do not reach."""
    _, s, pt = np.linalg.svd(cache / math.sqrt(len(cache)), full_matrices=False)
    reached = s > s[0] * 1e-11  # far above rounding and far below what the inputs' binary32 shows
    p, s = pt[reached].T, s[reached]
    p = p * np.sign(p[np.abs(p).argmax(axis=0), np.arange(p.shape[1])])
    return p, s


def half_scale(alpha, repaired):
    alpha = np.minimum(alpha, 65504.0)
    near = alpha.astype(np.float16)
    if repaired:
        short = near.astype(np.float64) < alpha
        near[short] = np.nextafter(near[short], np.float16(np.inf))
    return near.astype(np.float64)


class Side:
    """Keys or values of a layer: what rows [T, n] of its calibration show of the latent channels."""

    def __init__(self, projected, calibration, metric, groups):
        n = calibration.shape[1]
        width = n // groups
        self.bases = []
        latents, weights = [], []
        for first in range(0, n, width):
            columns = slice(first, first + width)
            p, s = principal(projected[:, columns])
            live = slice(first, first + len(s))
            self.bases.append((p, s, columns, live))
            dead = np.zeros((len(calibration), width - len(s)))
            latents += [calibration[:, columns] @ p / np.sqrt(s), dead]
            full = np.zeros((width, n))
            full[:len(s), columns] = np.sqrt(s)[:, None] * p.T
            weights.append(metric(full))
        h = np.concatenate(latents, axis=1)
        self.variance = h.var(axis=0)
        self.scale = np.percentile(np.abs(h), 99, axis=0)
        self.weight = np.concatenate(weights)

    def decoded(self, rows, bits, repaired):
        out = np.zeros_like(rows)
        for p, s, columns, live in self.bases:
            h = rows[:, columns] @ p / np.sqrt(s)
            scale, b = self.scale[live], bits[live].astype(np.float64)
            alpha = half_scale((np.abs(h) / scale).max(axis=1), repaired)
            delta = 2 * alpha[:, None] * scale / 2 ** b
            most = 2 ** (b - 1)
            if repaired:
                quantised = (np.clip(np.floor(h / delta), -most, most - 1) + .5) * delta
            else:
                quantised = np.clip(np.floor(h / delta + .5), -most, most - 1) * delta
            quantised[:, b == 0] = 0
            out[:, columns] = quantised * np.sqrt(s) @ p.T
        return out


def greedy(priorities, budget):
    bits = np.zeros(len(priorities), int)
    gains = priorities.copy()
    for _ in range(budget):
        best = int(gains.argmax())  # the first of equals
        if gains[best] <= 0:
            break
        bits[best] += 1
        gains[best] = gains[best] / 4 if bits[best] < 16 else -1
    return bits


def allocate(sides, weighted, average, fixed, raised, plain, normal_weights):
    n = len(sides[0].variance)
    priorities = []
    for side in sides:
        live = side.scale > 0
        spread = 1 if plain else np.percentile(side.variance[live], 95)
        weight = side.weight if weighted else np.ones(n)
        if normal_weights and not plain:
            weight = weight / np.percentile(weight[live], 95)
        priorities.append(np.where(live, weight * (side.variance / spread), 0))
    bits, spent = [], 0
    for layer in range(fixed):
        own = math.floor(raised * n * (layer + 1)) - math.floor(raised * n * layer)
        bits.append(greedy(priorities[layer], own))
        spent += int(bits[-1].sum())
    rest = greedy(np.concatenate(priorities[fixed:]), math.floor(average * n * len(sides)) - spent)
    return bits + list(rest.reshape(-1, n))


def softmax_rows(logits):
    weights = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)


def coded_tokens(tokens):
    coded = 0
    for seen in range(1, tokens):
        if seen - coded == 132:
            coded += 16
    return coded


def run(name, test, calibration, every=1):
    """Mean relative error over each so many-th query, and the average bits of keys and of values."""
    words = name.split(",")
    family, rate = words[0].split(":")
    average = Fraction(Decimal(rate))
    plain, repaired = "plain" in words, "repaired" in words
    groups = next((int(word[7:]) for word in words if word.startswith("groups=")), 1)
    meta, tensors = calibration
    layers, heads, kv = int(meta["layers"]), int(meta["H"]), int(meta["G"])
    d = int(meta["d_h"])

    def flat(x):  # [G, T, d] as rows [T, G d]
        return x.transpose(1, 0, 2).reshape(x.shape[1], -1)

    def unturned(source, layer):
        k = source[1][f"layers.{layer}.k"]
        return flat(turn(k, -np.arange(k.shape[1]), meta))

    keys, values = [], []
    for layer in range(layers):
        x = tensors[f"layers.{layer}.x"]
        q = tensors[f"layers.{layer}.q"]
        first = int(meta["T"]) - q.shape[1]
        q = turn(q, -np.arange(first, first + q.shape[1]), meta)
        wo = tensors[f"layers.{layer}.wo"]

        def key_metric(b, q=q):
            seen = b.reshape(len(b), kv, d)
            return sum(((q[h] @ seen[:, h * kv // heads].T) ** 2).mean(axis=0) for h in range(heads))

        def value_metric(b, wo=wo):
            seen = b.reshape(len(b), kv, d)
            return sum(((seen[:, h * kv // heads] @ wo[h * d:(h + 1) * d]) ** 2).sum(axis=1)
                       for h in range(heads))

        keys.append(Side(x @ tensors[f"layers.{layer}.wk"], unturned(calibration, layer), key_metric, groups))
        values.append(Side(x @ tensors[f"layers.{layer}.wv"], flat(tensors[f"layers.{layer}.v"]), value_metric,
                           groups))
    raised = min(average + 1, Fraction(16))
    fixed = 0 if plain else min(3, layers // 2)
    while fixed and raised * fixed > average * layers:
        fixed -= 1
    weighted = family == "aatc"
    key_bits = allocate(keys, weighted, average, fixed, raised, plain, True)
    value_bits = allocate(values, weighted, average, fixed, average, plain, False)
    errors = []
    for layer in range(layers):
        q, v = test[1][f"layers.{layer}.q"], test[1][f"layers.{layer}.v"]
        k = test[1][f"layers.{layer}.k"]
        tokens = k.shape[1]

        def heads_of(rows):
            return rows.reshape(tokens, kv, d).transpose(1, 0, 2)

        k_coded = turn(heads_of(keys[layer].decoded(unturned(test, layer), key_bits[layer], repaired)),
                       np.arange(tokens), meta)
        v_coded = heads_of(values[layer].decoded(flat(v), value_bits[layer], repaired))
        for row in range(0, q.shape[1], every):
            seen = tokens - q.shape[1] + row + 1
            coded = np.zeros(seen, bool)
            coded[4:4 + coded_tokens(seen)] = True
            for h in range(heads):
                g = h * kv // heads
                mixed_k = np.where(coded[:, None], k_coded[g, :seen], k[g, :seen])
                mixed_v = np.where(coded[:, None], v_coded[g, :seen], v[g, :seen])
                exact = softmax_rows(k[g, :seen] @ q[h, row] / math.sqrt(d)) @ v[g, :seen]
                found = softmax_rows(mixed_k @ q[h, row] / math.sqrt(d)) @ mixed_v
                errors.append(((found - exact) ** 2).sum() / (exact ** 2).sum())
    return np.mean(errors), np.mean(key_bits), np.mean(value_bits)


def main():
    test, calibration = read_safetensors(sys.argv[1]), read_safetensors(sys.argv[2])
    for name in sys.argv[3:]:
        error, key_bits, value_bits = run(name, test, calibration)
        print(name, repr(float(error)), repr(float(key_bits)), repr(float(value_bits)))


if __name__ == "__main__":
    main()
