#!/usr/bin/env python3
"""The enclosures behind `kvproof verify`, by mpmath: the rival of verify_bench and a second way for each number.

It computes what the default verification needs for its claims about constants, about the Lloyd code and about the
quantisers of eq. (4), at the same precisions, as one would write it with mpmath at hand: guesses in mp (findroot,
Newton's method), enclosures in the interval context iv (see mpmath_normal.py).

Left out, though verification does it: identities between expressions, formulas as data, witnesses.
Prints one JSON object; an enclosure is a pair of decimals. Needs python3-mpmath.
"""
import argparse
import json
import sys
import time
from collections import namedtuple
from fractions import Fraction
from functools import lru_cache
from itertools import product

from mpmath import iv, mp, mpf

from mpmath_normal import (Cut, centroid, certain, cut_at_infinity, distortion, exp, gap, guess_cut, is_finite, join,
                           largest, log, lower, mass, middle, precision, rational, roots, smallest, sure_cut, upper,
                           variance)

DEPTH = 8
DIGITS = 75  # of each end: more than the precision, so that writing it down changes nothing that is compared
BITS = 192  # verification's accuracy: shared_accuracy in proofs/quantities.cpp
WORKING_BITS = BITS + 3 * DEPTH + 16


# ---- the Lloyd tree: a boundary is known by cuts at its ends, which enclose it ----

Boundary = namedtuple("Boundary", "guess low high")


def enclose_split(l, u, depth):
    start = centroid(l.guess, u.guess)
    m = mp.findroot(lambda x: gap(l.guess, guess_cut(x), u.guess), (start, start - (start - l.guess.x) / 8))
    width = max(upper(b.high.x) - lower(b.low.x) for b in (l, u) if is_finite(b.guess))
    delta = mpf(2) ** (4 + depth - mp.prec)
    while True:
        low, high = sure_cut(m - delta), sure_cut(m + width + delta)
        if gap(l.low, low, u.low) < 0 and gap(l.high, high, u.high) > 0:
            return Boundary(Cut(m, middle(low.density), middle(low.tail)), low, high)
        delta *= 4


def summarise(boundaries):
    """Centroids and the distortion of a symmetric quantiser, from its boundaries from 0 to infinity. A centroid rises
    with both ends of its cell."""
    centroids, energy = [], iv.mpf(0)
    for a, b in zip(boundaries, boundaries[1:]):
        centroids.append(join(centroid(a.low, b.low), centroid(a.high, b.high)))
        energy += join(mass(a.high, b.low), mass(a.low, b.high)) * centroids[-1] ** 2
    return centroids, 1 - 2 * energy


def mirrored(values, zero):
    return [-v for v in reversed(values)] + ([iv.mpf(0)] if zero else []) + values


def half_line(inner):
    zero = sure_cut(mpf(0))
    ends = (Boundary(guess_cut(mpf(0)), zero, zero),
            Boundary(cut_at_infinity(mpf), *[cut_at_infinity(iv.mpf)] * 2))
    return [ends[0]] + inner + [ends[1]]


def lloyd_tree():
    """The levels 0..DEPTH, by symmetry from the half line above zero."""
    with precision(WORKING_BITS):
        levels = [{"distortion": iv.mpf(1), "gain": None, "boundaries": [], "centroids": [iv.mpf(0)]}]
        line = half_line([])
        for t in range(1, DEPTH + 1):
            if t > 1:
                finer = []
                for l, u in zip(line, line[1:]):
                    finer += [l, enclose_split(l, u, t)]
                line = finer + [line[-1]]
            centroids, d = summarise(line)
            levels.append({
                "distortion": d,
                "gain": levels[-1]["distortion"] - d,
                "boundaries": mirrored([join(b.low.x, b.high.x) for b in line[1:-1]], True),
                "centroids": mirrored(centroids, False),
            })
        return levels


def recheck_splits(levels):
    """How many of the 2^DEPTH - 1 splits have the two signs again, by erf and from their enclosures alone."""
    with precision(WORKING_BITS + 16):
        scale = certain(lambda: mp.sqrt(2 / mp.pi))

        @lru_cache(maxsize=None)
        def at_size(x):
            return certain(lambda: mp.exp(-x * x / 2)), certain(lambda: mp.erf(x / roots(mp.prec)[0]))

        def cut(x):
            if mp.isinf(x):
                return x, iv.mpf(0), iv.mpf(mp.sign(x))
            bell, erf = at_size(abs(x))
            return iv.mpf(x), bell, erf if x >= 0 else -erf

        def center(a, b):
            return scale * (a[1] - b[1]) / (b[2] - a[2])

        def sign_gap(end, l, m, u):
            l, m, u = (cut(end(x)) for x in (l, m, u))
            return 2 * m[0] - center(l, m) - center(m, u)

        count = 1  # the root's split is 0
        for above, level in zip(levels[1:], levels[2:]):
            line = [iv.mpf("-inf")] + above["boundaries"] + [iv.mpf("inf")]
            for l, m, u in zip(line, level["boundaries"][::2], line[1:]):
                count += bool(sign_gap(lower, l, m, u) < 0) and bool(sign_gap(upper, l, m, u) > 0)
        return count


def pointwise_errors(levels):
    """eps_t = sup over |u| <= 1 of |u - Q_t(u)|, taken at an end of some cell cut to [-1, 1]."""
    out = []
    for level in levels:
        edges = [iv.mpf(-1)] + [b for b in level["boundaries"] if -1 < b and b < 1] + [iv.mpf(1)]
        first = sum(bool(b < -1) for b in level["boundaries"])
        out.append(largest([abs(end - c) for a, b, c in zip(edges, edges[1:], level["centroids"][first:])
                            for end in (a, b)]))
    return out


# ---- the binary32 table as a quantiser ----


def to_float32(x):
    with mp.workprec(24):
        ends = +lower(x), +upper(x)
    assert ends[0] == ends[1]
    return ends[0]


def table_distortions(levels):
    with precision(BITS + 8 + 2 * DEPTH + 16):
        cuts = [Cut(iv.mpf("-inf"), iv.mpf(0), iv.mpf(1))]
        cuts += [sure_cut(to_float32(b)) for b in levels[DEPTH]["boundaries"]] + [cut_at_infinity(iv.mpf)]
        out = []
        for t, level in enumerate(levels):
            ends = cuts[:: 1 << (DEPTH - t)]
            cells = zip(ends, ends[1:], level["centroids"])
            out.append(sum(distortion(a, b, iv.mpf(to_float32(c))) for a, b, c in cells))
        return out


# ---- the optimal quantiser of 2^t levels, certified as lib/codec/lloyd_max.hpp explains ----


def quantile_guess(cells):
    """sqrt(3) times the normal quantiles: where companding puts the boundaries above zero."""
    return [mp.sqrt(6) * mp.erfinv(mpf(i) / cells) for i in range(1, cells)]


def newton_step(boundaries):
    cuts = [guess_cut(mpf(0))] + [guess_cut(b) for b in boundaries] + [cut_at_infinity(mpf)]
    below, above, c = [], [], []
    for a, b in zip(cuts, cuts[1:]):
        p = mass(a, b)
        c.append(centroid(a, b))
        below.append(a.density * (c[-1] - a.x) / p)
        above.append(b.density * (b.x - c[-1]) / p if is_finite(b) else mpf(0))
    n = len(boundaries)
    right = [2 * boundaries[i] - c[i] - c[i + 1] for i in range(n)]
    diagonal = [2 - above[i] - below[i + 1] for i in range(n)]
    for i in range(1, n):  # elimination: under the diagonal stands -below[i], over it -above[i + 1]
        factor = below[i] / diagonal[i - 1]
        diagonal[i] -= factor * above[i]
        right[i] += factor * right[i - 1]
    step = [mpf(0)] * n
    for i in reversed(range(n)):
        step[i] = (right[i] + (above[i + 1] * step[i + 1] if i + 1 < n else 0)) / diagonal[i]
    return [b - s for b, s in zip(boundaries, step)], max(map(abs, step), default=0)


def dominance(boundaries, radius):
    """A lower bound of the row sums over the box; 64 bits are plenty for it."""
    with precision(64):
        cuts = [sure_cut(mpf(0))]
        for b in boundaries:  # density and tail fall
            low, high = sure_cut(b - radius), sure_cut(b + radius)
            cuts.append(Cut(join(low.x, high.x), join(high.density, low.density), join(high.tail, low.tail)))
        cuts.append(cut_at_infinity(iv.mpf))
        variances = [variance(a, b) for a, b in zip(cuts, cuts[1:])]
        return min(lower(a + b) for a, b in zip(variances, variances[1:]))


def lloyd_max(t):
    """The enclosure of the distortion."""
    cells = 1 << (t - 1)
    with precision(64):
        boundaries, step = quantile_guess(cells), 1
        while step > mpf(2) ** -24:
            boundaries, step = newton_step(boundaries)
    with precision(BITS + 5 * t + 16):
        if cells == 1:
            return summarise(half_line([]))[1]
        while step > mpf(2) ** (-mp.prec // 2 - 8):
            boundaries, step = newton_step(boundaries)
        cuts = [sure_cut(mpf(0))] + [sure_cut(b) for b in boundaries] + [cut_at_infinity(iv.mpf)]
        residual = max(upper(abs(gap(*three))) for three in zip(cuts, cuts[1:], cuts[2:]))
        trial = mpf(2) ** (-mp.prec // 2)
        radius = 2 * residual / dominance(boundaries, trial)
        assert 0 < radius <= trial
        inner = [Boundary(None, sure_cut(b - radius), sure_cut(b + radius)) for b in boundaries]
        return summarise(half_line(inner))[1]


# ---- eq. (4) for scalar quantisers: the error over the bound, at its least ----


def partition_slack(cells, blocks):
    """Over all ways to put so many equal intervals of [-1, 1] into blocks, at the number of blocks and at the entropy of
    the block index."""
    centres = [Fraction(2 * i + 1, cells) - 1 for i in range(cells)]
    at_blocks = bound(1 / iv.mpf(blocks) ** 2)

    @lru_cache(maxsize=None)
    def at_entropy(counts):
        shares = [rational(Fraction(n, cells)) for n in counts if n]
        return bound(exp(2 * sum(p * log(p) for p in shares)))

    least = []
    for owner in product(range(blocks), repeat=cells):
        counts, sums = [0] * blocks, [Fraction(0)] * blocks
        for block, centre in zip(owner, centres):
            counts[block] += 1
            sums[block] += centre
        spread = sum(s * s / n for s, n in zip(sums, counts) if n)
        error = rational(Fraction(1, 3) - spread / cells)
        least += [error / at_blocks, error / at_entropy(tuple(sorted(counts)))]
    return smallest(least)


def bound(share):
    """Eq. (4) for the share 2^(-2b/n)."""
    return 2 * share / (iv.pi * certain(lambda: mp.e))


def quantiser_slack():
    with precision(64):
        uniform = [rational(Fraction(1, 3 * 4**b)) / bound(rational(Fraction(1, 4**b))) for b in range(1, 17)]
        pairs = [rational(Fraction(4**b + 4**c, 6 * 4 ** (b + c))) / bound(rational(Fraction(1, 2 ** (b + c))))
                 for b in range(9) for c in range(9)]
        return smallest([partition_slack(8, 2), partition_slack(4, 4)] + uniform + pairs)


# ---- Theorems 1 and 2 ----


def constants(levels, epsilons):
    e_10, e_20, e = (certain(lambda: mp.exp(n)) for n in (10, 20, 1))
    p, rho = 1 / (1 + 1 / e_10), 1 / (1 + e_10)
    coefficient = 1 / (8 * iv.pi * e)
    upper_bound = (p * epsilons[8] + rho) ** 2
    ratio = levels[8]["gain"] / levels[1]["gain"]

    def lower_bound(u):
        return ((e_10 - 1) / (e_10 + 1)) ** 2 * iv.mpf(2) ** (-7 - 2 * u) / (iv.pi * e)

    return {
        "thm1.coefficient": coefficient,
        "thm1.ratio": coefficient / epsilons[8] ** 2,
        "thm1.instance": coefficient / (32 * epsilons[8] ** 2),
        "thm1.slack": 1 / (27 * coefficient),
        "obstruction": (levels[2]["centroids"][-1] - 1) ** 2,
        "thm2.gain_order": e_20 * ratio,
        "thm2.weight_order": p**2 / rho**2 * ratio,
        "thm2.upper": upper_bound,
        "thm2.lower.one": lower_bound(1),
        "thm2.lower.limit": lower_bound(0),
        "thm2.factor.one": lower_bound(1) / upper_bound,
        "thm2.factor.limit": lower_bound(0) / upper_bound,
    }


def separation_thresholds(epsilons):
    """rho_1, ..., rho_DEPTH of readkv.thm1.region."""
    pi_e, log_2 = iv.pi * certain(lambda: mp.e), log(iv.mpf(2))
    return [(1 - log(pi_e * eps**2) / log_2) / 2 for eps in epsilons[1:]]


# ---- all of it ----


def compute():
    """All enclosures as pairs of decimals, and the CPU seconds of each part."""
    seconds = {}
    begun = time.process_time()

    def lap(name):
        nonlocal begun
        now = time.process_time()
        seconds[name] = now - begun
        begun = now

    levels = lloyd_tree()
    lap("tree")
    checked = recheck_splits(levels)
    lap("recheck")
    table = table_distortions(levels)
    lap("table")
    optimal = [lloyd_max(t) for t in range(1, DEPTH + 1)]
    lap("lloydmax")
    slack = quantiser_slack()
    lap("quantisers")
    with precision(BITS):
        epsilons = pointwise_errors(levels)
        theorems = constants(levels, epsilons)
        thresholds = separation_thresholds(epsilons)
    lap("constants")
    with mp.workprec(2 * BITS):
        answer = {
            "levels": [{
                "t": t,
                "distortion": text(level["distortion"]),
                "gain": text(level["gain"]) if level["gain"] else None,
                "epsilon": text(epsilons[t]),
                "boundaries": [text(b) for b in level["boundaries"]],
                "centroids": [text(c) for c in level["centroids"]],
            } for t, level in enumerate(levels)],
            "splits_checked_twice": checked,
            "table_distortion": [text(d) for d in table],
            "optimal_distortion": [text(d) for d in optimal],
            "quantiser_slack": text(slack),
            "constants": {name: text(x) for name, x in theorems.items()},
            "separation_thresholds": [text(x) for x in thresholds],
        }
    lap("text")
    return answer, seconds


def text(x):
    return [mp.nstr(end, DIGITS) for end in (lower(x), upper(x))]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--timings", action="store_true", help="CPU seconds of each part, to stderr")
    options = parser.parse_args()
    answer, seconds = compute()
    json.dump(answer, sys.stdout, indent=1)
    print()
    if options.timings:
        print(" ".join(f"{name} {value:.3f}" for name, value in seconds.items()), file=sys.stderr)


if __name__ == "__main__":
    main()
