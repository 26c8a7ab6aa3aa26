"""Split points of the Gaussian Lloyd tree and boundaries of the optimal quantisers, found with mpmath (no proof)."""
import mpmath
from mpmath import mpf

mpmath.mp.prec = 280
INF = mpmath.inf


def phi(x):
    return mpmath.npdf(x) if abs(x) != INF else mpf(0)


def mass(a, b):
    """P(a < Z < b) from the tail that does not cancel."""
    if a < 0:
        a, b = -b, -a
    if a < 0:
        return (mpmath.erf(b / mpmath.sqrt(2)) - mpmath.erf(a / mpmath.sqrt(2))) / 2
    return (mpmath.erfc(a / mpmath.sqrt(2)) - (mpmath.erfc(b / mpmath.sqrt(2)) if b != INF else 0)) / 2


def mean(a, b):
    return (phi(a) - phi(b)) / mass(a, b)


def variance(a, b):
    return 1 + ((a * phi(a) if abs(a) != INF else 0) - (b * phi(b) if b != INF else 0)) / mass(a, b) - mean(a, b) ** 2


def split(l, u):
    """The zero of f(m) = 2m - c(l, m) - c(m, u), by the secant method."""
    start = mean(l, u)
    return mpmath.findroot(lambda m: 2 * m - mean(l, m) - mean(m, u), (start, start * mpf("1.001") + mpf("1e-6")))


def tree(depth):
    """Rows of splits, ascending, the lower half mirrored."""
    rows, ends = [[mpf(0)]], [-INF, mpf(0), INF]
    for _ in range(depth - 1):
        half = len(ends) // 2
        upper = [split(l, u) for l, u in zip(ends[half:], ends[half + 1:])]
        rows.append([-m for m in reversed(upper)] + upper)
        merged = [None] * (len(ends) + len(rows[-1]))
        merged[::2], merged[1::2] = ends, rows[-1]
        ends = merged
    return rows


def table(rows, t):
    """Boundaries and centroids of depth t."""
    ends = sorted(sum(rows[:t], []))
    return ends, [mean(a, b) for a, b in zip([-INF] + ends, ends + [INF])]


def distortion(boundaries):
    ends = [-INF, *boundaries, INF]
    return 1 - sum(mass(a, b) * mean(a, b) ** 2 for a, b in zip(ends, ends[1:]))


def optimal(t):
    """The boundaries above 0 of the optimal quantiser of 2^t levels: Newton's method on the midpoint conditions."""
    n = 2 ** (t - 1) - 1
    b = [mpmath.sqrt(3) * mpmath.sqrt(2) * mpmath.erfinv(mpf(i) / (n + 1)) for i in range(1, n + 1)]
    for _ in range(200):
        ends = [mpf(0), *b, INF]
        c = [mean(x, y) for x, y in zip(ends, ends[1:])]
        p = [mass(x, y) for x, y in zip(ends, ends[1:])]
        # dc/da = phi(a)(c - a)/P and dc/db = phi(b)(b - c)/P
        down = [phi(ends[i]) * (c[i] - ends[i]) / p[i] for i in range(n + 1)]
        up = [phi(ends[i + 1]) * (ends[i + 1] - c[i]) / p[i] if i < n else mpf(0) for i in range(n + 1)]
        f = [2 * b[i] - c[i] - c[i + 1] for i in range(n)]
        diagonal = [2 - up[i] - down[i + 1] for i in range(n)]
        for i in range(1, n):                  # eliminate below the diagonal: entries -down[i] left, -up[i] right
            factor = -down[i] / diagonal[i - 1]
            diagonal[i] += factor * up[i]
            f[i] -= factor * f[i - 1]
        step = [mpf(0)] * (n + 1)
        for i in reversed(range(n)):
            step[i] = (f[i] + (up[i + 1] * step[i + 1] if i < n - 1 else 0)) / diagonal[i]
        b = [x - s for x, s in zip(b, step)]
        if all(abs(s) < mpf(2) ** -250 for s in step):
            return b
    raise ArithmeticError("Newton's method did not converge")
