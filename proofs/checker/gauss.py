"""The standard normal law at exact dyadic points: density, distribution, and mean and variance within a cell.

Phi(x) = 1/2 + phi(x) (x + x^3/3 + x^5/15 + ...): all terms of one sign, so that nothing cancels but what is
subtracted from 1/2. A Point holds enclosures at precision q; INFINITY on either side has density 0.
"""
import fixed
from fixed import Undefined, shift


class Point:
    """x = n 2^-s with enclosures of x, phi(x), Phi(x) and x phi(x) at q; `key` is (n, s)."""
    __slots__ = ("value", "density", "distribution", "moment")

    def __init__(self, value, density, distribution, moment):
        self.value, self.density, self.distribution, self.moment = value, density, distribution, moment


class Gauss:
    def __init__(self, scale, q):
        """Points are n * 2^-scale; enclosures are at precision q."""
        self.scale, self.q = scale, q
        self.one = (1 << q, 1 << q)
        self.points = {}
        zero = (0, 0)
        self.minus_infinity = Point(None, zero, zero, zero)
        self.infinity = Point(None, zero, self.one, zero)

    def point(self, n):
        found = self.points.get(n)
        if found is None:
            found = self.points[n] = self.make(n)
        return found

    def make(self, n):
        if n < 0:
            x = self.point(-n)
            return Point(fixed.neg(x.value), x.density, fixed.sub(self.one, x.distribution), fixed.neg(x.moment))
        q, s = self.q, self.scale
        value = (shift(n, s - q, False), shift(n, s - q, True))
        if n * n >= 2 * (q + 2) << 2 * s:      # x^2/2 >= q + 2: phi, x phi and 1 - Phi are all < 2^-q
            return Point(value, (0, 1), (self.one[0] - 1, self.one[0]), (0, 1))
        w = q + 24 + fixed.series_guard(n * n, 2 * s)
        ends = []
        for up in (False, True):
            e = fixed.exp_bound(-shift(n * n, 2 * s + 1 - w, not up), w, up)
            root = fixed.sqrt((2 * fixed.pi(w)[0], 2 * fixed.pi(w)[1]), w)[0 if up else 1]
            density = fixed.quotient(e << w, root, up)
            moment = shift(density * n, s, up)
            series = fixed.odd_series(shift(n * n, 2 * s - w, up), w, up)
            half = min(shift(moment * series, w, up), 1 << (w - 1))
            ends.append([shift(v, w - q, up) for v in (density, half + (1 << (w - 1)), moment)])
        return Point(value, *zip(*ends))

    def probability(self, a, b):
        """P(a < Z < b), or Undefined where it may be 0."""
        p = fixed.sub(b.distribution, a.distribution)
        if p[0] <= 0:
            raise Undefined
        return p

    def mean(self, a, b):
        """c(a, b) = E[Z | a < Z < b] = (phi(a) - phi(b)) / (Phi(b) - Phi(a)), also for b < a; Undefined near a = b."""
        return fixed.div(fixed.sub(a.density, b.density), fixed.sub(b.distribution, a.distribution), self.q)

    def variance(self, a, b):
        """Var(Z | a < Z < b) = 1 + (a phi(a) - b phi(b))/P(a, b) - c(a, b)^2."""
        p, c = self.probability(a, b), self.mean(a, b)
        ratio = fixed.div(fixed.sub(a.moment, b.moment), p, self.q)
        return fixed.sub(fixed.add(self.one, ratio), fixed.integer_power(c, 2, self.q))

    def pull(self, l, m, u):
        """f(m; l, u) = 2m - c(l, m) - c(m, u), which is 0 at the split of the cell (l, u)."""
        return fixed.sub((2 * m.value[0], 2 * m.value[1]), fixed.add(self.mean(l, m), self.mean(m, u)))
