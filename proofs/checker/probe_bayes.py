"""The least expected loss of deterministic protocols against a prior, by trying all of them."""
from fractions import Fraction
from itertools import combinations
from math import comb, lcm

from probe_encoding import TooLarge

MOST_SOURCES = 16                              # that a prior may name
MOST_SETS = 1 << 22                            # sets of sources times queries
MOST_WORK = 1 << 28                            # leaves of the trees that are tried
MOST_BITS = 4096                               # of a denominator that all losses are brought to


def least_loss(family, access, w, r, prior):
    """prior: weights by (x, y), positive integers. TooLarge beyond the bounds."""
    sources, queries = sorted({x for x, _ in prior}), sorted({y for _, y in prior})
    n, depth = len(sources), min(w, r)
    if n > MOST_SOURCES or len(queries) << n > MOST_SETS:
        raise TooLarge
    # Nothing, all of the record, or for one query only: the records may as well say which leaf it is.
    by_leaves = not access.sees_query or depth in (0, w) or len(queries) == 1
    every = (1 << n - 1) - 1
    w = min(w, every)
    r = min(w, r)
    if not by_leaves and comb(every, w) * len(queries) * tree_leaves(w, r, access.batches) > MOST_WORK:
        raise TooLarge
    moments = [Moments(family, y, sources, prior) for y in queries]
    factor, tables = common_tables(moments)
    if by_leaves:
        best = least_partition([sum(column) for column in zip(*tables)], n, depth)
    else:
        best = least_over_cuts(tables, n, w, r, access.batches)
    return Fraction(best) / (factor * family.unit * sum(prior.values()))


class Moments:
    """Weights, first and second moments of the targets of every set of sources, as a bit mask."""

    def __init__(self, family, y, sources, prior):
        self.weights, self.firsts, self.seconds = [0], [(0,) * family.numbers], [0]
        for x in sources:
            weight, target = prior.get((x, y), 0), family.targets[y][x]
            first, second = [weight * v for v in target], weight * sum(v * v for v in target)
            self.weights += [v + weight for v in self.weights]
            self.firsts += [tuple(a + b for a, b in zip(v, first)) for v in self.firsts]
            self.seconds += [v + second for v in self.seconds]

    def losses(self, factor):
        """factor times sum of weight |target - mean|^2, integers where factor is a multiple of every weight."""
        out = []
        for weight, first, second in zip(self.weights, self.firsts, self.seconds):
            spread = second * weight - sum(v * v for v in first)
            out.append(0 if not spread else spread * (factor // weight) if factor > 1 else Fraction(spread, weight))
        return out


def common_tables(moments):
    factor = 1
    for weight in {v for m in moments for v in m.weights if v}:
        factor = lcm(factor, weight)
        if factor.bit_length() > MOST_BITS:
            factor = 1
            break
    return factor, [m.losses(factor) for m in moments]


def least_partition(table, n, depth):
    """The least sum over partitions of all n sources into 2^depth parts at most."""
    if 1 << depth >= n:
        return 0
    everyone = (1 << n) - 1
    for level in range(depth):
        doubled = list(table)
        for whole in range(1, everyone + 1) if level < depth - 1 else (everyone,):
            rest = part = whole & (whole - 1)  # the lowest source stays in the other part
            least = table[whole]
            while part:
                value = table[part] + table[whole ^ part]
                if value < least:
                    least = value
                part = (part - 1) & rest
            doubled[whole] = least
        table = doubled
    return table[everyone]


def least_over_cuts(tables, n, w, r, batches):
    """The least sum over queries of the best tree's loss, over all sets of w cuts that leave source 0 out."""
    everyone, best = (1 << n) - 1, None
    for cuts in combinations(range(2, everyone + 1, 2), w):
        total = 0
        for table in tables:
            total += tree_loss(table, everyone, cuts, r, batches)
            if best is not None and total >= best:
                break
        else:
            best = total
            if not best:
                break
    return best


def tree_leaves(w, r, batches):
    """How many leaves one query's trees have in all that read r of w cuts."""
    if not r:
        return 1
    if batches == 1 or r == w:
        return comb(w, r) << r
    batches = min(batches, r)
    return sum((comb(w, size) << size) * tree_leaves(w - size, r - size, batches - 1) for size in range(1, r - batches + 2))


def tree_loss(table, members, cuts, r, batches):
    """The least loss of reading r of the cuts at most in so many batches; more is never worse."""
    r = min(r, len(cuts))
    if not r or not members & (members - 1):
        return table[members]
    if r == 1:
        return min([table[members & cut] + table[members & ~cut] for cut in cuts])
    if batches == 1 or r == len(cuts):
        return min(sum(table[cell] for cell in cells(members, batch)) for batch in combinations(cuts, r))
    batches = min(batches, r)
    return min(sum(tree_loss(table, cell, [c for c in cuts if c not in batch], r - size, batches - 1)
                   for cell in cells(members, batch))
               for size in range(1, r - batches + 2) for batch in combinations(cuts, size))


def cells(members, cuts):
    """What the cuts split the set into."""
    found = [members]
    for cut in cuts:
        found = [part for s in found for part in (s & cut, s & ~cut) if part]
    return found
