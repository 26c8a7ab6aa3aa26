"""The part of the corpus about certified quantities, with bounds from mpmath."""
from fractions import Fraction

import mpmath

import lloyd_points


def quantities(c, rows, depth):
    """Small claims about every kind of quantity, with bounds from mpmath."""
    checks = []

    def near(name, value, ulp=mpmath.mpf(10) ** -30):
        checks.append(f"(< {mpmath.nstr(value - ulp, 40)} {name} {mpmath.nstr(value + ulp, 40)})")

    def single(x):
        """x rounded to 24 bits, as an exact dyadic mpf."""
        with mpmath.workprec(24):
            return +x

    for t in (1, 2, 3):
        b, c_ = lloyd_points.table(rows, t)
        b_, c__ = lloyd_points.table(rows, t - 1) if t > 1 else ([], [mpmath.mpf(0)])
        d, before = lloyd_points.distortion(b), lloyd_points.distortion(b_) if t > 1 else mpmath.mpf(1)
        near(f"lloyd.distortion.{t}", d)
        near(f"lloyd.gain.{t}", before - d)
        near(f"lloydmax.distortion.{t}", lloyd_points.distortion(
            [-x for x in reversed(lloyd_points.optimal(t))] + [mpmath.mpf(0)] + lloyd_points.optimal(t)))
        for j in (0, 2 ** t - 1):
            near(f"lloyd.centroid.{t}.{j}", c_[j])
            checks.append(f"(= float32.centroid.{t}.{j} {dyadic(single(c_[j]))})")
        checks.append(f"(= lloyd.boundary.{t}.{2 ** (t - 1) - 1} 0)")
        near(f"lloyd.boundary.{t}.0", b[0] if t > 1 else mpmath.mpf(0))
        checks.append(f"(= float32.boundary.{t}.0 {dyadic(single(b[0]))})")
        checks.append(f"(= float32.gain.{t} {dyadic(single(before - d))})")
        for u in (-3, -1, 0, 1, 7):
            value = c_[sum(x <= u for x in b)]
            near(f"lloyd.value.{t}.{u}", value)
            checks.append(f"(= float32.value.{t}.{u} {dyadic(single(value))})")
        for family, rounding in (("lloyd", lambda x: x), ("float32", single)):
            ends = [mpmath.mpf(-1)] + [rounding(x) for x in b if abs(x) < 1] + [mpmath.mpf(1)]
            inside = [rounding(c_[sum(y <= (p + q) / 2 for y in b)]) for p, q in zip(ends, ends[1:])]
            worst = max(max(abs(p - m), abs(q - m)) for p, q, m in zip(ends, ends[1:], inside))
            near(f"{family}.epsilon.{t}", worst)
        rounded = [-lloyd_points.INF] + [single(x) for x in b] + [lloyd_points.INF]
        true = [1 - sum(2 * single(m) * (lloyd_points.phi(p) - lloyd_points.phi(q)) - single(m) ** 2 * lloyd_points.mass(p, q)
                        for p, q, m in zip(rounded, rounded[1:], c_))]
        near(f"codebook.distortion.{t}", true[0])
    checks.append("(= (- codebook.distortion.1 codebook.distortion.2) codebook.gain.2)")
    c.claims["s.quantities"] = "codebook", "float32", "(and " + " ".join(checks[:-1]) + ")"
    c.good("s.quantities", "proved", ["precision 256"])


def dyadic(x):
    sign, mantissa, exponent, _ = x._mpf_
    return str((-1) ** sign * Fraction(mantissa) * Fraction(2) ** exponent)
