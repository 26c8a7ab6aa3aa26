"""Fixed-point interval arithmetic on Python integers.

An interval (lo, hi) at precision q stands for [lo, hi] * 2^-q. Every function returns one that contains all values
on its operands, or raises Undefined outside its domain. Elementary functions are made of *directed* ones f_bound(x, q, up):
a number at q that is <= f(x) (up false) or >= f(x) (up true). Every product and quotient of their series is rounded in
that one direction, all terms being positive, so that no rounding analysis is needed; the tail is added where up is
true and dropped where it is not. Further bits are carried for tightness: a result is within a few 2^-q of f(x).
"""
from functools import lru_cache
from math import isqrt

from ranges import Undefined, absolute, neg, sub

EXP_LIMIT = 1 << 16                            # exp of more than this is called undefined


def shift(value, bits, up):
    """value * 2^-bits, rounded down or up; exact where bits <= 0."""
    if bits <= 0:
        return value << -bits
    return -(-value >> bits) if up else value >> bits


def quotient(a, b, up):
    """a / b for integers with b > 0, rounded down or up."""
    return -(-a // b) if up else a // b


def rescale(x, q_from, q_to):
    return shift(x[0], q_from - q_to, False), shift(x[1], q_from - q_to, True)


def from_ratio(numerator, denominator, q):
    scaled = numerator << q
    low = scaled // denominator
    return low, low + (low * denominator != scaled)


def mul(x, y, q):
    if x[0] >= 0 and y[0] >= 0:
        return x[0] * y[0] >> q, -(-x[1] * y[1] >> q)
    products = (x[0] * y[0], x[0] * y[1], x[1] * y[0], x[1] * y[1])
    return min(products) >> q, -(-max(products) >> q)


def div(x, y, q):
    if y[0] <= 0 <= y[1]:
        raise Undefined
    if y[1] < 0:
        x, y = neg(x), neg(y)
    return (x[0] << q) // (y[1] if x[0] >= 0 else y[0]), quotient(x[1] << q, y[0] if x[1] >= 0 else y[1], True)


def integer_power(x, n, q):
    if n < 0:
        return div((1 << q, 1 << q), integer_power(x, -n, q), q)
    if n % 2 == 0:
        x = absolute(x)
    return power_bound(x[0], n, q, False), power_bound(x[1], n, q, True)


def power_bound(a, n, q, up):
    """a^n, directed, for a >= 0 or odd n; powers of non-negative numbers keep the direction."""
    if a < 0:
        return -power_bound(-a, n, q, not up)
    result = 1 << q
    for bit in bin(n)[2:]:
        result = shift(result * result, q, up)
        if bit == "1":
            result = shift(result * a, q, up)
    return result


def sqrt(x, q):
    if x[0] < 0:
        raise Undefined
    root = isqrt(x[1] << q)
    return isqrt(x[0] << q), root + (root * root != x[1] << q)


def atanh_ratio(a, b, w, up):
    """atanh(a/b) = sum (a/b)^(2k+1)/(2k+1) at w for 0 <= a/b <= 1/2, directed."""
    power = quotient(a << w, b, up)
    square = quotient(a * a << w, b * b, up)
    total, k = power, 1
    while power > 1:                           # going up the powers never reach 0
        power = shift(power * square, w, up)
        k += 2
        total += quotient(power, k, up)
    # The terms left out: each at most square <= 1/4 of the one before, the first at most power/4: < power.
    return total + power if up else total


@lru_cache(maxsize=None)
def log2_bounds(w):
    """log 2 = 18 atanh(1/26) - 2 atanh(1/4801) + 8 atanh(1/8749)."""
    g = w + 16
    low = 18 * atanh_ratio(1, 26, g, False) - 2 * atanh_ratio(1, 4801, g, True) + 8 * atanh_ratio(1, 8749, g, False)
    high = 18 * atanh_ratio(1, 26, g, True) - 2 * atanh_ratio(1, 4801, g, False) + 8 * atanh_ratio(1, 8749, g, True)
    return rescale((low, high), g, w)


@lru_cache(maxsize=None)
def pi(q):
    """pi = 16 atan(1/5) - 4 atan(1/239), alternating series with n terms down and up by one error each."""
    w = q + 32
    total, error = 0, 0
    for factor, x in ((16, 5), (-4, 239)):
        power, k, sign = (1 << w) // x, 1, factor
        while power:
            total += sign * (power // k)       # off by < 2 units: power is off by < 1.1, power // k by < 1 more
            error += 3 * abs(factor)
            power //= x * x
            k += 2
            sign = -sign
        error += 2 * abs(factor)               # the tail is below the first term left out, < 2^-w
    return rescale((total - error, total + error), w, q)


def exp_bound(x, q, up):
    if x > EXP_LIMIT << q:
        raise Undefined
    if x < -(q + 2) << q:                      # exp(-(q+2)) < 2^-q
        return 1 if up else 0
    halvings = isqrt(q) // 2 + 4
    k = x // log2_bounds(q)[1]                 # exp(x) = 2^k exp(r), r = x - k log 2; any k near is right
    w = q + max(k, 0) + 2 * halvings + 24
    ln = log2_bounds(w)
    r = (x << (w - q)) - k * ln[0 if (k > 0) == up else 1]
    if r < 0:                                  # k was one too many by the rounding of log 2
        k -= 1
        r = (x << (w - q)) - k * ln[0 if (k > 0) == up else 1]
    r = shift(r, halvings, up)                 # 0 <= r < 2^-halvings (about)
    total, term, n = (1 << w) + r, r, 1
    while term > 1:
        n += 1
        term = quotient(shift(term * r, w, up), n, up)
        total += term
    if up:
        total += term + 1                      # each further term is at most half of the one before
    for _ in range(halvings):
        total = shift(total * total, w, up)
    return shift(total, w - q - k, up)


def log_bound(x, q, up):
    if x <= 0:
        raise Undefined
    k = x.bit_length() - q                     # x = 2^k m with 1/2 <= m < 1, or 2/3 <= m < 4/3 after this:
    if 3 * x < 1 << (q + k + 1):
        k -= 1
    w = q + 24 + abs(k).bit_length()
    one = 1 << (q + k)
    # log m = 2 atanh((m - 1)/(m + 1)), |(m - 1)/(m + 1)| <= 1/5
    if x >= one:
        total = 2 * atanh_ratio(x - one, x + one, w, up)
    else:
        total = -2 * atanh_ratio(one - x, x + one, w, not up)
    total += k * log2_bounds(w)[1 if (k > 0) == up else 0]
    return shift(total, w - q, up)


def bell(u, s, q, up):
    """B(u) = exp(-u/2) sum u^k/(2k+1)!! over k >= 0, directed, at q; u >= 0 stands for u 2^-s. 0 < B <= 1.

    Phi(x) - 1/2 = x B(x^2)/sqrt(2 pi) and erf x = 2 x B(2 x^2)/sqrt(pi). The sum is at most exp(u/2), which takes
    log2(e)/2 < 0.7214 bits for each unit of u.
    """
    w = q + 24 + 7214 * (u >> s) // 10000
    v = shift(u, s - w, up)
    total = term = 1 << w
    k, falling = 1, 2 * v >> w
    while term > 1 or term and k <= falling + 1:   # from k > 2u on every term is at most half of the one before
        k += 2
        term = quotient(term * v, k << w, up)
        total += term
    if up:
        total += term + 1                      # the tail
    return min(shift(total * exp_bound(-shift(u, s + 1 - w, not up), w, up), 2 * w - q, up), 1 << q)


def tanh_bound(x, q, up):
    """tanh x = 1 - 2/(exp(2x) + 1); beyond 2x > q + 2 it lies within 2^-q of 1."""
    if x < 0:
        return -tanh_bound(-x, q, not up)
    if 2 * x > (q + 2) << q:
        return (1 << q) - (0 if up else 1)
    w = q + 8
    e = exp_bound(2 * x << 8, w, up) + (1 << w)
    return min(shift((1 << w) - quotient(2 << 2 * w, e, not up), 8, up), 1 << q)


def erf_bound(x, q, up):
    if x < 0:
        return -erf_bound(-x, q, not up)
    if x * x > (q + 2) << (2 * q):             # erfc(x) < exp(-x^2) < 2^-q (here x > 1)
        return (1 << q) - (0 if up else 1)
    w = q + 24
    root = sqrt(pi(w), w)[0 if up else 1]
    return min(quotient(2 * x * bell(2 * x * x, 2 * q, w, up), root, up), 1 << q)


def monotone(bound):
    """The interval function of a directed rising one."""
    return lambda x, q: (bound(x[0], q, False), bound(x[1], q, True))


exp, log, tanh, erf = (monotone(f) for f in (exp_bound, log_bound, tanh_bound, erf_bound))


def erfc(x, q):
    return sub((1 << q, 1 << q), erf(x, q))


def e(q):
    return exp((1 << q, 1 << q), q)


def real_power(x, y, q):
    """exp(y log x) with x > 0; guard bits for the size of y log x, whose error exp multiplies."""
    g = q + 16 + max(0, max(abs(y[0]), abs(y[1])).bit_length() - q)
    product = mul(rescale(y, q, g), log(rescale(x, q, g), g), g)
    return rescale(exp(product, g), g, q)
