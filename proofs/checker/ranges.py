"""Ranges as pairs (lo, hi) of numbers: ints (exact, or fixed-point ends of one precision) or Fractions.

An exact value has one object at both ends, so that what is computed from such values is computed once.
"""
from fractions import Fraction


class Undefined(Exception):
    """An operation outside its domain: what needs it is open."""


def point(value):
    return value, value


def add(x, y):
    return point(x[0] + y[0]) if x[0] is x[1] and y[0] is y[1] else (x[0] + y[0], x[1] + y[1])


def sub(x, y):
    return point(x[0] - y[0]) if x[0] is x[1] and y[0] is y[1] else (x[0] - y[1], x[1] - y[0])


def neg(x):
    return point(-x[0]) if x[0] is x[1] else (-x[1], -x[0])


def absolute(x):
    if x[0] >= 0:
        return x
    return neg(x) if x[1] <= 0 else (0, max(-x[0], x[1]))


def minimum(x, y):
    return min(x[0], y[0]), min(x[1], y[1])


def maximum(x, y):
    return max(x[0], y[0]), max(x[1], y[1])


# Of exact ranges only:

def mul(x, y):
    if x[0] is x[1] and y[0] is y[1]:
        return point(x[0] * y[0])
    products = (x[0] * y[0], x[0] * y[1], x[1] * y[0], x[1] * y[1])
    return min(products), max(products)


def reciprocal(x):
    if x[0] <= 0 <= x[1]:
        raise Undefined
    return point(Fraction(1) / x[0]) if x[0] is x[1] else (Fraction(1) / x[1], Fraction(1) / x[0])


def div(x, y):
    return mul(x, reciprocal(y))


def power(x, n):
    if n < 0:
        return reciprocal(power(x, -n))
    if n % 2 == 0:
        x = absolute(x)
    return point(x[0] ** n) if x[0] is x[1] else (x[0] ** n, x[1] ** n)


def floor(x):
    return x[0] // 1, x[1] // 1


def integer(x):
    """The integer that an exact range is, or None."""
    return int(x[0]) if x[0] == x[1] and x[0].denominator == 1 else None
