"""Ranges of exact rationals: pairs (lo, hi) of ints or Fractions; a value known exactly has one object at both ends."""
from fractions import Fraction

from fixed import Undefined


def ratio(a, b):
    """a / b as an int where it is one: integers are much faster than fractions."""
    if isinstance(a, int) and isinstance(b, int) and a % b == 0:
        return a // b
    value = Fraction(a) / b
    return value.numerator if value.denominator == 1 else value


def point(value):
    return value, value


def integer(x):
    """The integer that the range is, or None."""
    if x[0] != x[1] or (not isinstance(x[0], int) and x[0].denominator != 1):
        return None
    return int(x[0])


def add(x, y):
    return point(x[0] + y[0]) if x[0] is x[1] and y[0] is y[1] else (x[0] + y[0], x[1] + y[1])


def sub(x, y):
    return point(x[0] - y[0]) if x[0] is x[1] and y[0] is y[1] else (x[0] - y[1], x[1] - y[0])


def neg(x):
    return point(-x[0]) if x[0] is x[1] else (-x[1], -x[0])


def mul(x, y):
    if x[0] is x[1] and y[0] is y[1]:
        return point(x[0] * y[0])
    products = (x[0] * y[0], x[0] * y[1], x[1] * y[0], x[1] * y[1])
    return min(products), max(products)


def reciprocal(x):
    if x[0] <= 0 <= x[1]:
        raise Undefined
    return point(ratio(1, x[0])) if x[0] is x[1] else (ratio(1, x[1]), ratio(1, x[0]))


def div(x, y):
    if x[0] is x[1] and y[0] is y[1] and y[0]:
        return point(ratio(x[0], y[0]))
    return mul(x, reciprocal(y))


def absolute(x):
    if x[0] >= 0:
        return x
    return neg(x) if x[1] <= 0 else (0, max(-x[0], x[1]))


def power(x, n):
    if n < 0:
        return reciprocal(power(x, -n))
    if n % 2 == 0:
        x = absolute(x)
    return point(x[0] ** n) if x[0] is x[1] else (x[0] ** n, x[1] ** n)


def minimum(x, y):
    return min(x[0], y[0]), min(x[1], y[1])


def maximum(x, y):
    return max(x[0], y[0]), max(x[1], y[1])


def floor(x):
    return x[0] // 1, x[1] // 1
