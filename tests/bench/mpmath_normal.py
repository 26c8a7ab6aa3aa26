"""Enclosures with mpmath, and the normal law: what mpmath_rival.py is written with.

mpmath's interval context iv has + - * /, but no erfc and no erf, and its exp and log do not enclose in every case. These
come from mp with guard bits, widened by far more than their error. mpmath says that its functions are good to about a
unit in the last place but does not prove it; that trust is what these enclosures rest on, and kvproof's do not.
"""
from collections import namedtuple
from contextlib import contextmanager
from functools import lru_cache

from mpmath import iv, mp, mpf

GUARD = 40
LOST = 12  # of the guard bits: arguments are rounded, and exp(-x^2/2) multiplies their error by up to x^2


@contextmanager
def precision(bits):
    before = mp.prec, iv.prec
    mp.prec = iv.prec = bits
    try:
        yield
    finally:
        mp.prec, iv.prec = before


def certain(compute):
    """The enclosure of what mp computes."""
    with mp.workprec(mp.prec + GUARD):
        value = compute()
        error = abs(value) * mpf(2) ** (LOST - mp.prec)
        return iv.mpf([value - error, value + error])


def rational(x):
    return iv.mpf(x.numerator) / x.denominator


def lower(x):
    return mpf(x.a)


def upper(x):
    return mpf(x.b)


def middle(x):
    return (lower(x) + upper(x)) / 2


def join(x, y):
    """From the lower end of x to the upper end of y: for what is monotone."""
    return iv.mpf([x.a, y.b])


def exp(x):
    return join(certain(lambda: mp.exp(lower(x))), certain(lambda: mp.exp(upper(x))))


def log(x):
    return join(certain(lambda: mp.log(lower(x))), certain(lambda: mp.log(upper(x))))


def smallest(values):
    return iv.mpf([min(lower(v) for v in values), min(upper(v) for v in values)])


def largest(values):
    return iv.mpf([max(lower(v) for v in values), max(upper(v) for v in values)])


# ---- the normal law at a cut of the line, and on the cell between two cuts ----

Cut = namedtuple("Cut", "x density tail")


@lru_cache(maxsize=None)
def roots(bits):
    with mp.workprec(bits):
        return mp.sqrt(2), mp.sqrt(2 * mp.pi)


def density(x):
    return mp.exp(-x * x / 2) / roots(mp.prec)[1]


def tail(x):
    return mp.erfc(x / roots(mp.prec)[0]) / 2


def guess_cut(x):
    return Cut(x, density(x), tail(x))


def sure_cut(x):
    return Cut(iv.mpf(x), certain(lambda: density(x)), certain(lambda: tail(x)))


def cut_at_infinity(number):
    return Cut(number("inf"), number(0), number(0))


def is_finite(cut):
    return cut.density != 0


def moment(cut):
    """x phi(x), 0 at infinity."""
    return cut.x * cut.density if is_finite(cut) else 0


def mass(a, b):
    return a.tail - b.tail


def centroid(a, b):
    return (a.density - b.density) / mass(a, b)


def distortion(a, b, q):
    """E (Z - q)^2 over the cell."""
    p = mass(a, b)
    return p + moment(a) - moment(b) - 2 * q * (a.density - b.density) + q * q * p


def variance(a, b):
    return distortion(a, b, centroid(a, b)) / mass(a, b)


def gap(l, m, u):
    return 2 * m.x - centroid(l, m) - centroid(m, u)
