"""The standard normal law at dyadic points n 2^-scale, and mean and variance within a cell, as enclosures at q.

Phi(x) = 1/2 + phi(x) (x + x^3/3 + x^5/15 + ...): all terms of one sign, so that nothing cancels.
"""
from dataclasses import dataclass

from fixed import bell, div, exp_bound, integer_power, pi, quotient, shift, sqrt
from ranges import Undefined, add, neg, sub


@dataclass
class Point:
    """Enclosures of x, phi(x), Phi(x) and x phi(x)."""
    value: tuple
    density: tuple
    distribution: tuple
    moment: tuple


class Gauss:
    def __init__(self, scale, q):
        self.scale, self.q, self.points = scale, q, {}
        self.zero, self.one = (0, 0), (1 << q, 1 << q)
        self.minus_infinity = Point(None, self.zero, self.zero, self.zero)
        self.infinity = Point(None, self.zero, self.one, self.zero)

    def point(self, n):
        if n not in self.points:
            self.points[n] = self.make(n)
        return self.points[n]

    def make(self, n):
        if n < 0:
            x = self.point(-n)
            return Point(neg(x.value), x.density, sub(self.one, x.distribution), neg(x.moment))
        q, s = self.q, self.scale
        value = shift(n, s - q, False), shift(n, s - q, True)
        if n * n >= 2 * (q + 2) << 2 * s:      # x^2/2 >= q + 2: phi, x phi and 1 - Phi are all < 2^-q
            return Point(value, (0, 1), (self.one[0] - 1, self.one[0]), (0, 1))
        w, ends = q + 24, []
        for up in (False, True):
            root = sqrt((2 * pi(w)[0], 2 * pi(w)[1]), w)[0 if up else 1]
            density = quotient(exp_bound(-shift(n * n, 2 * s + 1 - w, not up), w, up) << w, root, up)
            half = quotient(n * bell(n * n, 2 * s, w, up) << w, root << s, up)
            ends.append([shift(v, w - q, up) for v in (density, (1 << (w - 1)) + half, shift(density * n, s, up))])
        return Point(value, *zip(*ends))

    def probability(self, a, b):
        """P(a < Z < b), or Undefined where it may be 0."""
        p = sub(b.distribution, a.distribution)
        if p[0] <= 0:
            raise Undefined
        return p

    def mean(self, a, b):
        """c(a, b) = E[Z | a < Z < b] = (phi(a) - phi(b))/P(a < Z < b)."""
        return div(sub(a.density, b.density), self.probability(a, b), self.q)

    def variance(self, a, b):
        """Var(Z | a < Z < b) = 1 + (a phi(a) - b phi(b))/P(a, b) - c(a, b)^2."""
        ratio = div(sub(a.moment, b.moment), self.probability(a, b), self.q)
        return sub(add(self.one, ratio), integer_power(self.mean(a, b), 2, self.q))

    def pull(self, l, m, u):
        """f(m; l, u) = 2m - c(l, m) - c(m, u), which is 0 at the split of the cell (l, u)."""
        return sub((2 * m.value[0], 2 * m.value[1]), add(self.mean(l, m), self.mean(m, u)))
