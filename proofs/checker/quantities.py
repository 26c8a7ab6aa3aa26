"""Certified quantities, computed from the used certificates: lloyd.*, lloydmax.*, float32.*, codebook.*.

get(payload) returns (q, ends): ends in units of 2^-q, or exact rationals where q is None. Undefined where a
quantity is out of range or where the enclosures do not tell it.
"""
from fractions import Fraction

from fixed import from_ratio, integer_power, mul
from gauss import Gauss
from ranges import Undefined, absolute, add, maximum, minimum, point, sub

BINARY32_SCALE = 149                           # every binary32 is a multiple of 2^-149


def binary32(x):
    """The rational x rounded to the nearest binary32, ties to even."""
    x = Fraction(x)
    exponent = abs(x.numerator).bit_length() - x.denominator.bit_length()
    if abs(x) < Fraction(2) ** exponent:
        exponent -= 1                          # 2^exponent <= |x| < 2^(exponent+1)
    unit = Fraction(2) ** max(exponent - 23, -BINARY32_SCALE)
    rounded = round(x / unit) * unit           # round() of a Fraction: exact, ties to even
    if abs(rounded) >= 2 ** 128:
        raise Undefined
    return rounded


def nearest(q, ends):
    """The one binary32 next to an enclosure."""
    low, high = (binary32(Fraction(e, 1 << q)) for e in ends)
    if low != high:
        raise Undefined
    return point(low)


def below(x, y):
    """x < y for ranges, Undefined where they do not tell."""
    if x[0] < y[1] and x[1] >= y[0]:
        raise Undefined
    return x[1] < y[0]


def supremum(boundaries, centroids, one):
    """sup |u - Q(u)| over [-1, 1]: on a cell cut to [-1, 1] it is taken at one of the cell's ends."""
    low, high, worst = point(-one), point(one), (0, 0)
    for a, b, c in zip([None, *boundaries], [*boundaries, None], centroids):
        if (a is None or not below(high, a)) and (b is None or below(low, b)):    # the cell meets [-1, 1]
            for end in (maximum(a or low, low), minimum(b or high, high)):
                worst = maximum(worst, absolute(sub(end, c)))
    return worst


def entry(kind, boundaries, centroids, index, one):
    """boundary, centroid, value or epsilon of a table whose entries are ranges in units of 1/one."""
    column = boundaries if kind == "boundary" else centroids
    if kind == "epsilon":
        return supremum(boundaries, centroids, one)
    if kind == "value":                        # Q(index): the cell begins at the last boundary <= index
        index = sum(not below(point(index * one), b) for b in boundaries)
    if not 0 <= index < len(column):
        raise Undefined
    return column[index]


class Quantities:
    def __init__(self, tree, optimal, user=None, risks=None):
        """A rule_lloyd.Tree, a rule_lloyd.Optimal, a user's rule_codebook.Table and rule_unsat's risks, or None."""
        self.risks = risks or {}
        self.tree, self.optimal, self.user, self.known = tree, optimal, user, {}
        self.of_table = user or tree           # what float32.* and codebook.* speak of
        self.gauss = Gauss(BINARY32_SCALE, self.of_table.q) if self.of_table else None

    def get(self, payload):
        family, kind, t, *_ = payload
        source = {"lloydmax": self.optimal, "lloyd": self.tree}.get(family, self.of_table)
        if source is None or not (kind in ("gain", "boundary")) <= t <= source.depth:
            raise Undefined
        if payload not in self.known:
            self.known[payload] = getattr(self, family)(*payload[1:])
        return self.known[payload]

    def risk(self, term, w, r):
        """What (probe.FAMILY.CLASS w r) is."""
        _, name, access = term.split(".")
        if (name, access, w, r) not in self.risks:
            raise Undefined
        return self.risks[name, access, w, r]

    def lloydmax(self, kind, t):
        return self.optimal.q, self.optimal.distortion(t)

    def lloyd(self, kind, t, index=None):
        tree = self.tree
        if kind == "distortion":
            return tree.q, tree.distortion(t)
        if kind == "gain":
            return tree.q, sub(tree.distortion(t - 1), tree.distortion(t))
        return tree.q, entry(kind, tree.boundaries(t), tree.centroids(t), index, 1 << tree.q)

    def float32(self, kind, t, index=None):
        if kind == "gain":
            return None, nearest(*(self.codebook if self.user else self.lloyd)("gain", t))
        return None, entry(kind, *self.table(t), index, 1)

    def table(self, t):
        """Boundaries and centroids of depth t: the user's, or the tree's, each rounded once."""
        if self.user:
            return self.user.levels[t]
        return [[nearest(self.tree.q, ends) for ends in column]
                for column in (self.tree.boundaries(t), self.tree.centroids(t))]

    def codebook(self, kind, t):
        """D = 1 - 2 sum c (phi(a) - phi(b)) + sum c^2 P(a, b), which is E (Z - c)^2 summed over the cells (a, b)."""
        if kind == "gain":
            return self.gauss.q, sub(*(self.get(("codebook", "distortion", s))[1] for s in (t - 1, t)))
        gauss, q, (boundaries, centroids) = self.gauss, self.gauss.q, self.table(t)
        points = [gauss.point(int(b[0] * 2 ** BINARY32_SCALE)) for b in boundaries]
        total = gauss.one
        for a, b, (c, _) in zip([gauss.minus_infinity, *points], [*points, gauss.infinity], centroids):
            c = from_ratio(c.numerator, c.denominator, q)
            first = mul(c, sub(a.density, b.density), q)
            second = mul(integer_power(c, 2, q), sub(b.distribution, a.distribution), q)
            total = add(total, sub(second, add(first, first)))
        return q, total
