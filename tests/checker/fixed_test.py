"""Unit tests of the checker's arithmetic: fixed.py and gauss.py against mpmath, exact ranges, normal forms.

usage: fixed_test.py [SEED]. Each enclosure must contain mpmath's value at a higher precision (containment) and be at
most 64 units wide where its operands are points of moderate size (tightness).
"""
import os
import random
import sys
from fractions import Fraction

import mpmath

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "proofs", "checker"))
import ranges                                  # noqa: E402
import fixed                                   # noqa: E402
import formula                                 # noqa: E402
from evaluate import Evaluator                 # noqa: E402
from gauss import Gauss                        # noqa: E402
from quantities import binary32                # noqa: E402

seed = int(sys.argv[1]) if len(sys.argv) > 1 else 20240611
rng = random.Random(seed)
checks = 0


def require(truth, *what):
    global checks
    checks += 1
    if not truth:
        sys.exit(f"fixed_test: failed (seed {seed}): {what}")


def contains(name, q, interval, value, width=64, *what):
    """interval 2^-q contains the mpf value, computed at much higher precision."""
    scaled = mpmath.ldexp(value, q)
    slack = mpmath.ldexp(1, -40)               # mpmath's own error
    require(interval[0] - slack <= scaled <= interval[1] + slack, name, q, "containment", what)
    require(interval[1] - interval[0] <= width, name, q, "tightness", interval[1] - interval[0], what)


def points(q):
    """Points at q: small, moderate, hard ones."""
    yield from (0, 1, -1, 1 << q, -(1 << q), (1 << q) + 1, (1 << q) // 3, (1 << q) - 1)
    for _ in range(12):
        yield rng.randint(-(1 << q), 1 << q) >> rng.choice((0, 0, 1, 5, q // 2, q - 2))
        yield rng.randint(-20 << q, 20 << q)


def functions():
    table = {"exp": mpmath.exp, "erf": mpmath.erf, "erfc": mpmath.erfc, "tanh": mpmath.tanh, "log": mpmath.log,
             "sqrt": mpmath.sqrt}
    for q in (64, 128 + rng.randint(0, 64), 320, 700, 1600 + rng.randint(0, 9)):
        mpmath.mp.prec = 4 * q + 300
        contains("pi", q, fixed.pi(q), +mpmath.pi)
        contains("e", q, fixed.e(q), mpmath.e)
        contains("log 2", q, fixed.log2_bounds(q), mpmath.log(2))
        for n in points(q):
            x = mpmath.ldexp(n, -q)
            for name, oracle in table.items():
                if name in ("log", "sqrt") and n <= 0:
                    continue
                width = 4 if name != "exp" else 4 + int(mpmath.exp(x) / 2 ** 20)
                contains(name, q, getattr(fixed, name)((n, n), q), oracle(x), width, n)
            m = rng.randint(-5 << q, 5 << q)
            if n > 0 and abs(x) > 0.01:
                y = mpmath.ldexp(m, -q)
                power = x ** y
                contains("power", q, fixed.real_power((n, n), (m, m), q), power, 4 + int(power), n, m)
            wide = (min(n, m), max(n, m))
            for name in ("exp", "erf", "erfc", "tanh"):
                box = getattr(fixed, name)(wide, q)
                inside = rng.randint(*wide)
                value = mpmath.ldexp(table[name](mpmath.ldexp(inside, -q)), q)
                require(box[0] <= value <= box[1], name, "on an interval", wide, q)


def domains():
    q = 128
    for call in (lambda: fixed.log((0, 5), q), lambda: fixed.sqrt((-1, 5), q), lambda: fixed.div((1, 1), (-1, 1), q),
                 lambda: fixed.div((1, 1), (0, 0), q), lambda: fixed.exp((0, 70000 << q), q),
                 lambda: fixed.real_power((0, 1), (1, 1), q), lambda: ranges.reciprocal((0, 1)),
                 lambda: ranges.div((1, 1), (0, 0))):
        try:
            call()
        except ranges.Undefined:
            require(True)
        else:
            require(False, "outside a domain")
    require(fixed.exp((-10 ** 9 << q, -10 ** 9 << q), q) == (0, 1), "exp of a large negative number")


def arithmetic():
    """fixed and exact ranges of random terms contain the values at points inside, and exact ones are attained."""
    for _ in range(400):
        q = rng.randint(64, 200)
        x, y = (sorted(Fraction(rng.randint(-60, 60), rng.randint(1, 9)) for _ in range(2)) for _ in range(2))
        u, v = (a + (b - a) * Fraction(rng.randint(0, 8), 8) for a, b in (x, y))
        n = rng.randint(0, 5)
        cases = [("add", u + v), ("sub", u - v), ("mul", u * v), ("absolute", abs(u)), ("power", u ** n), ("neg", -u)]
        if not y[0] <= 0 <= y[1]:
            cases.append(("div", u / v))
        fx, fy = ((fixed.from_ratio(a.numerator, a.denominator, q)[0], fixed.from_ratio(b.numerator, b.denominator, q)[1])
                  for a, b in (x, y))
        for name, value in cases:
            args = [tuple(x)] if name in ("absolute", "neg") else [tuple(x), n] if name == "power" else [tuple(x), tuple(y)]
            low, high = getattr(ranges, name)(*args)
            require(low <= value <= high, "exact", name, x, y)
            fargs = [fx] if name in ("absolute", "neg") else [fx, n, q] if name == "power" else [fx, fy]
            if name in ("mul", "div"):
                fargs.append(q)
            flow, fhigh = getattr(ranges if name == "add" else fixed, "integer_power" if name == "power" else name)(*fargs)
            require(flow <= low * 2 ** q and high * 2 ** q <= fhigh, "fixed", name, x, y)
            magnitude = max(abs(low), abs(high), 1) * 200 ** max(n, 1)
            if name != "div":
                require(fhigh - flow <= (high - low) * 2 ** q + magnitude, "fixed is wide", name)


def normal_law():
    for scale, q in ((150, 192), (160, 320), (2048, 192), (8, 400)):
        mpmath.mp.prec = 4 * q + 400
        gauss = Gauss(scale, q)
        for _ in range(25):
            n = rng.randint(-6 << scale, 6 << scale) >> rng.choice((0, 0, 1, 3, scale // 2))
            x = mpmath.ldexp(n, -scale)
            p = gauss.point(n)
            contains("phi", q, p.density, mpmath.npdf(x), 4, n)
            contains("Phi", q, p.distribution, mpmath.erfc(-x / mpmath.sqrt(2)) / 2, 4, n)
            contains("x phi", q, p.moment, x * mpmath.npdf(x), 4, n)
        for n in (30 << scale, 50 << scale, -(90 << scale), 10 ** 1000):
            p = gauss.point(n)
            require(p.distribution[1] - p.distribution[0] <= 1 and p.density[0] >= 0, "far", n)
        one = 1 << scale
        for a, b in ((-one, one // 2), (one // 4, one // 3), (one, None)):
            right, mean = gauss.infinity if b is None else gauss.point(b), None
            x, y = mpmath.ldexp(a, -scale), mpmath.inf if b is None else mpmath.ldexp(b, -scale)
            phi = lambda t: mpmath.npdf(t) if t != mpmath.inf else mpmath.mpf(0)       # noqa: E731
            mass = mpmath.erfc(x / mpmath.sqrt(2)) / 2 - (mpmath.erfc(y / mpmath.sqrt(2)) / 2 if b is not None else 0)
            mean = (phi(x) - phi(y)) / mass
            contains("mean", q, gauss.mean(gauss.point(a), right), mean, 1000)
            variance = 1 + (x * phi(x) - (y * phi(y) if b is not None else 0)) / mass - mean ** 2
            contains("variance", q, gauss.variance(gauss.point(a), right), variance, 10000)


def normal_forms():
    """Pairs of terms that have, and that have not, one normal form."""
    bounds = "((x 1 2) (y 1 2))"
    equal = ["(/ x y) (/ (* x x) (* x y))", "(^ (+ x y) 3) (+ (^ x 3) (* 3 x x y) (* 3 x y y) (^ y 3))",
             "(exp -10) (/ 1 (^ e 10))", "(tanh 5) (/ (- (exp 10) 1) (+ (exp 10) 1))",
             "(tanh -1) (- (tanh 1))", "(^ (sqrt (* 2 pi)) 2) (* 2 pi)", "(^ (sqrt (/ x y)) 5) (* (/ (* x x) (* y y)) (sqrt (/ x y)))",
             "(/ 1 (sqrt 2)) (/ (sqrt 2) 2)", "(^ 2 (+ x 1)) (* 2 (^ 2 x))", "(exp (* x (log 2))) (^ 2 x)",
             "(^ x 1/2) (exp (* 1/2 (log x)))", "(exp (+ x y)) (* (exp x) (exp y))", "(^ (exp (* 2 x)) 2) (exp (* 4 x))",
             "(log 1) 0", "(exp (/ x y)) (exp (/ (* x 3) (* 3 y)))", "(max x 1/2) (max x 1/2)", "0.5 1/2",
             "(+ (/ x (+ x y)) (/ y (+ x y))) 1", "(exp (* 1/2 x)) (^ (exp (* -1/2 x)) -1)"]
    different = ["x y", "(log 4) (* 2 (log 2))", "(sqrt x) x", "(max x y) (max y x)", "(^ x 2) (^ x 3)",
                 "(exp x) (exp y)", "(/ x (- y y)) 1", "(+ (^ (sqrt 2) 2) 1) 2", "(exp 1/2) (sqrt e)", "(^ (exp (/ x 2)) 2) (exp x)"]
    outside = ["(/ (- x 1) (- x 1)) 1", "(^ (sqrt (- x 3/2)) 2) (- x 3/2)", "(* 0 (log (- x 1))) 0"]
    for pairs, expected in ((equal, True), (different, False), (outside, False)):
        for pair in pairs:
            read = formula.read(f"(forall {bounds} (= {pair}))")
            relation = read.relations[0]
            box = {v: (v.low, v.high) for v in relation.variables}
            require(Evaluator(128, None).identical(relation, box) is expected, "normal form", pair)


def roundings():
    import struct
    for _ in range(2000):
        x = rng.uniform(-4, 4) * 2.0 ** rng.randint(-145, 20)
        require(binary32(Fraction(x)) == Fraction(struct.unpack("f", struct.pack("f", x))[0]), "binary32", x)
    require(binary32(Fraction(2 ** 24 + 1)) == 2 ** 24 and binary32(Fraction(2 ** 24 + 3)) == 2 ** 24 + 4, "ties")


for test in (functions, domains, arithmetic, normal_law, normal_forms, roundings):
    test()
print(f"fixed_test: {checks} checks, seed {seed}")
