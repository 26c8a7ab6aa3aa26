#!/usr/bin/env python3
"""The numbers behind `kvproof verify`, by mpmath: the rival of verify_bench and a second way for each number.

It computes what the default verification needs for its claims about constants and about the Lloyd code, with
the same precisions and with lower and upper ends as kvproof has them, written as one would with mpmath at
hand: its normal density and distribution, findroot for the splits, Newton's method for the optimal
quantisers. The signs that enclose a split are computed but rounding errors are not bounded, so these ends are
estimates where kvproof's are certain.

Left out, though verification does it: exact enumerations and identities, formulas as data, witnesses.
Prints one JSON object; every number is a decimal string. Needs python3-mpmath.
"""
import argparse
import json
import sys
import time

from mpmath import mp, mpf

DEPTH = 8
DIGITS = 50
BITS = 192  # verification's accuracy: shared_accuracy in proofs/quantities.cpp


class Cut:
    """The density and the upper tail of the normal law at x."""

    def __init__(self, x):
        self.x = x
        self.density = mp.npdf(x)
        self.tail = mp.ncdf(-x)

    def moment(self):
        """x phi(x), 0 at infinity."""
        return self.x * self.density if mp.isfinite(self.x) else mpf(0)


def mass(a, b):
    return a.tail - b.tail


def centroid(a, b):
    return (a.density - b.density) / mass(a, b)


def distortion(a, b, q):
    """E (Z - q)^2 over the cell."""
    p = mass(a, b)
    return p + a.moment() - b.moment() - 2 * q * (a.density - b.density) + q * q * p


def variance(a, b):
    return distortion(a, b, centroid(a, b)) / mass(a, b)


def gap(l, m, u):
    return 2 * m.x - centroid(l, m) - centroid(m, u)


# ---- the Lloyd tree: every boundary is a pair of cuts, its lower and its upper end ----


def enclose_split(l, u, depth):
    low, high = l[0], u[0]
    start = centroid(low, high)
    m = mp.findroot(lambda x: gap(low, Cut(x), high), (start, start - (start - low.x) / 8))
    width = l[1].x - l[0].x
    if mp.isfinite(u[0].x):
        width = max(width, u[1].x - u[0].x)
    delta = mpf(2) ** (4 + depth - mp.prec)
    while True:
        ends = Cut(m - delta), Cut(m + width + delta)
        if gap(l[0], ends[0], u[0]) < 0 < gap(l[1], ends[1], u[1]):
            return ends
        delta *= 4


def summarise(cells_ends):
    """Centroids, probabilities (lower and upper ends) and the distortion of a symmetric quantiser."""
    centroids = [(centroid(a[0], b[0]), centroid(a[1], b[1])) for a, b in zip(cells_ends, cells_ends[1:])]
    masses = [(mass(a[1], b[0]), mass(a[0], b[1])) for a, b in zip(cells_ends, cells_ends[1:])]
    energy = [sum(p[end] * c[end] ** 2 for p, c in zip(masses, centroids)) for end in (0, 1)]
    return centroids, masses, (1 - 2 * energy[1], 1 - 2 * energy[0])


def middle(pair):
    return (pair[0] + pair[1]) / 2


def mirrored(values, zero):
    return [-v for v in reversed(values)] + ([mpf(0)] if zero else []) + values


def lloyd_tree(accuracy):
    """The levels 0..DEPTH, by symmetry from the half line above zero."""
    with mp.workprec(accuracy + 3 * DEPTH + 24):
        one = mpf(1)
        levels = [{"distortion": (one, one), "gain": None, "boundaries": [], "centroids": [mpf(0)]}]
        zero, infinity = Cut(mpf(0)), Cut(mp.inf)
        ends = [(zero, zero), (infinity, infinity)]
        for t in range(1, DEPTH + 1):
            if t > 1:
                finer = []
                for l, u in zip(ends, ends[1:]):
                    finer += [l, enclose_split(l, u, t)]
                ends = finer + [ends[-1]]
            centroids, _, d = summarise(ends)
            above = levels[-1]["distortion"]
            levels.append({
                "distortion": d,
                "gain": (above[0] - d[1], above[1] - d[0]),
                "boundaries": mirrored([middle((a.x, b.x)) for a, b in ends[1:-1]], True),
                "centroids": mirrored([middle(c) for c in centroids], False),
                "ends": ends,
            })
        return levels


def recheck_splits(levels, accuracy):
    """How many of the 2^DEPTH - 1 splits have the two signs again, by erf at twice the working precision."""
    with mp.workprec(2 * (accuracy + 3 * DEPTH + 24)):

        def center(a, b):
            return mp.sqrt(2 / mp.pi) * (mp.exp(-a * a / 2) - mp.exp(-b * b / 2)) / (
                mp.erf(b / mp.sqrt(2)) - mp.erf(a / mp.sqrt(2)))

        def sign_gap(l, m, u):
            return 2 * m - center(l, m) - center(m, u)

        count = 1  # the root's split is 0
        for t in range(1, DEPTH):
            half = [[cut.x for cut in pair] for pair in levels[t + 1]["ends"]]
            line = [[-high, -low] for low, high in reversed(half[1:])] + half
            for l, m, u in zip(line[0::2], line[1::2], line[2::2]):
                count += sign_gap(l[0], m[0], u[0]) < 0 < sign_gap(l[1], m[1], u[1])
        return count


def pointwise_errors(levels):
    """eps_t = sup over |u| <= 1 of |u - Q_t(u)|, taken at an end of some cell cut to [-1, 1]."""
    out = []
    for level in levels:
        edges = [mpf(-1)] + [b for b in level["boundaries"] if -1 < b < 1] + [mpf(1)]
        first = sum(b <= -1 for b in level["boundaries"])
        out.append(max(max(abs(a - c), abs(b - c))
                       for a, b, c in zip(edges, edges[1:], level["centroids"][first:])))
    return out


# ---- the binary32 table as a quantiser ----


def to_float32(x):
    with mp.workprec(24):
        return +x


def table_distortions(levels, accuracy):
    with mp.workprec(accuracy + 8 + 4 * DEPTH + 24):
        cuts = [Cut(-mp.inf)] + [Cut(to_float32(b)) for b in levels[DEPTH]["boundaries"]] + [Cut(mp.inf)]
        out = []
        for t, level in enumerate(levels):
            ends = cuts[:: 1 << (DEPTH - t)]
            cells = zip(ends, ends[1:], level["centroids"])
            out.append(sum(distortion(a, b, to_float32(c)) for a, b, c in cells))
        return out


# ---- the optimal quantiser of 2^t levels ----


def quantile_guess(cells):
    """sqrt(3) times the normal quantiles: where companding puts the boundaries above zero."""
    return [mp.sqrt(6) * mp.erfinv(mpf(i) / cells) for i in range(1, cells)]


def newton_step(boundaries):
    cuts = [Cut(mpf(0))] + [Cut(b) for b in boundaries] + [Cut(mp.inf)]
    lower, upper, c = [], [], []
    for a, b in zip(cuts, cuts[1:]):
        p = mass(a, b)
        c.append(centroid(a, b))
        lower.append(a.density * (c[-1] - a.x) / p)
        upper.append(b.density * (b.x - c[-1]) / p if mp.isfinite(b.x) else mpf(0))
    n = len(boundaries)
    gaps = [2 * boundaries[i] - c[i] - c[i + 1] for i in range(n)]
    diagonal = [2 - upper[i] - lower[i + 1] for i in range(n)]
    right = list(gaps)
    for i in range(1, n):  # elimination: below the diagonal stands -lower[i], above it -upper[i + 1]
        factor = lower[i] / diagonal[i - 1]
        diagonal[i] -= factor * upper[i]
        right[i] += factor * right[i - 1]
    step = [mpf(0)] * n
    for i in reversed(range(n)):
        step[i] = (right[i] + (upper[i + 1] * step[i + 1] if i + 1 < n else 0)) / diagonal[i]
    return step, max(abs(g) for g in gaps)


def lloyd_max(t, accuracy):
    """Lower and upper end of the distortion."""
    cells = 1 << (t - 1)
    with mp.workprec(64):
        boundaries = quantile_guess(cells)
        while boundaries:
            step, _ = newton_step(boundaries)
            boundaries = [b - s for b, s in zip(boundaries, step)]
            if max(abs(s) for s in step) < mpf(2) ** -24:
                break
    with mp.workprec(accuracy + 6 * t + 32):
        radius = mpf(0)
        while boundaries:
            step, residual = newton_step(boundaries)
            if max(abs(s) for s in step) < mpf(2) ** (16 - mp.prec):
                cuts = [Cut(mpf(0))] + [Cut(b) for b in boundaries] + [Cut(mp.inf)]
                variances = [variance(a, b) for a, b in zip(cuts, cuts[1:])]
                radius = 2 * residual / min(a + b for a, b in zip(variances, variances[1:]))
                break
            boundaries = [b - s for b, s in zip(boundaries, step)]
        zero, infinity = Cut(mpf(0)), Cut(mp.inf)
        inner = [(Cut(b - radius), Cut(b + radius)) for b in boundaries]
        return summarise([(zero, zero)] + inner + [(infinity, infinity)])[2]


# ---- Theorems 1 and 2 ----


def constants(levels, epsilons):
    with mp.workprec(BITS):
        gains = [None] + [middle(level["gain"]) for level in levels[1:]]
        p, rho = 1 / (1 + mp.exp(-10)), 1 / (1 + mp.exp(10))
        coefficient = 1 / (8 * mp.pi * mp.e)
        upper = (p * epsilons[8] + rho) ** 2

        def lower(u):
            return mp.tanh(5) ** 2 * mpf(2) ** (-7 - 2 * u) / (mp.pi * mp.e)

        return {
            "thm1.coefficient": coefficient,
            "thm1.ratio": coefficient / epsilons[8] ** 2,
            "thm1.instance": coefficient / (32 * epsilons[8] ** 2),
            "thm1.slack": 1 / (27 * coefficient),
            "obstruction": (levels[2]["centroids"][-1] - 1) ** 2,
            "thm2.gain_order": mp.exp(20) * gains[8] / gains[1],
            "thm2.weight_order": p**2 * gains[8] / (rho**2 * gains[1]),
            "thm2.upper": upper,
            "thm2.lower.one": lower(1),
            "thm2.lower.limit": lower(0),
            "thm2.factor.one": lower(1) / upper,
            "thm2.factor.limit": lower(0) / upper,
        }


def separation_thresholds(epsilons):
    """rho_1, ..., rho_DEPTH of readkv.thm1.region."""
    with mp.workprec(BITS):
        return [(1 - mp.log(mp.pi * mp.e * eps**2) / mp.log(2)) / 2 for eps in epsilons[1:]]


# ---- all of it ----


def compute():
    """All numbers as decimal strings, and the CPU seconds of each part."""
    seconds = {}
    begun = time.process_time()

    def lap(name):
        nonlocal begun
        now = time.process_time()
        seconds[name] = now - begun
        begun = now

    levels = lloyd_tree(BITS)
    lap("tree")
    checked = recheck_splits(levels, BITS)
    lap("recheck")
    table = table_distortions(levels, BITS)
    lap("table")
    optimal = [lloyd_max(t, BITS) for t in range(1, DEPTH + 1)]
    lap("lloydmax")
    with mp.workprec(BITS):
        epsilons = pointwise_errors(levels)
    theorems = constants(levels, epsilons)
    thresholds = separation_thresholds(epsilons)
    lap("constants")

    def text(x):
        return mp.nstr(x, DIGITS, strip_zeros=False)

    with mp.workprec(BITS):
        answer = {
            "levels": [{
                "t": t,
                "distortion": text(middle(level["distortion"])),
                "gain": text(middle(level["gain"])) if level["gain"] else None,
                "epsilon": text(epsilons[t]),
                "boundaries": [text(b) for b in level["boundaries"]],
                "centroids": [text(c) for c in level["centroids"]],
            } for t, level in enumerate(levels)],
            "splits_checked_twice": checked,
            "table_distortion": [text(d) for d in table],
            "optimal_distortion": [text(middle(d)) for d in optimal],
            "constants": {name: text(x) for name, x in theorems.items()},
            "separation_thresholds": [text(x) for x in thresholds],
        }
    lap("text")
    return answer, seconds


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
