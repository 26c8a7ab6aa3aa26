"""Normal forms: quotients of polynomials with rational coefficients in atoms.

A polynomial is a dict from monomials to non-zero Fractions, a monomial a sorted tuple of (atom, exponent > 0), atoms
being numbered by first use; docs/certificates.md says what is one. A form is a pair (numerator, denominator), the
latter not the zero polynomial; forms are equal iff their cross products are. That proves equality of terms wherever
both are defined, which the caller sees to.
"""
from fractions import Fraction

from ranges import Undefined
from terms import postorder

MOST_TERMS = 5000                              # a larger polynomial is given up: no normal form
MOST_POWER = 200


def poly(value):
    return {(): Fraction(value)} if value else {}


ONE = poly(1)
UNIT = ONE, ONE


def plus(a, b, factor=1):
    """a + factor b"""
    total = dict(a)
    for m, c in b.items():
        total[m] = total.get(m, 0) + factor * c
    return {m: c for m, c in total.items() if c}


def join(m, n, sign=1):
    """The monomial m n, or m/n."""
    exponents = dict(m)
    for atom, k in n:
        exponents[atom] = exponents.get(atom, 0) + sign * k
    return tuple(sorted((a, k) for a, k in exponents.items() if k))


def times(a, b):
    if len(a) * len(b) > MOST_TERMS:
        raise Undefined
    total = {}
    for m, c in a.items():
        for n, d in b.items():
            key = join(m, n)
            total[key] = total.get(key, 0) + c * d
    return {m: c for m, c in total.items() if c}


def raised(a, n):
    result = ONE
    for _ in range(n):
        result = times(result, a)
    return result


def constant(form, whole=False):
    """The rational (the integer) that the form is, or None."""
    n, d = form
    if set(d) != {()} or not set(n) <= {()}:
        return None
    value = n.get((), Fraction(0)) / d[()]
    return value if not whole else int(value) if value.denominator == 1 else None


def inverse(x):
    if not x[0]:
        raise Undefined
    return x[1], x[0]


def without_squares(p, root, square):
    """p with root^(2j + r) = root^r square^j, as a form over one power of the square's denominator."""
    most = max((k // 2 for m in p for a, k in m if a == root), default=0)
    total = {}
    for m, c in p.items():
        j = dict(m).get(root, 0) // 2
        part = times({join(m, ((root, 2 * j),), -1): c}, raised(square[0], j))
        total = plus(total, times(part, raised(square[1], most - j)))
    return total, raised(square[1], most)


class NormalForms:
    def __init__(self):
        self.atoms, self.keys = {}, []         # key -> number -> key
        self.roots = {}                        # number of a sqrt atom -> form of its square
        self.forms = {}                        # term -> form

    def atom(self, *key):
        if key not in self.atoms:
            self.atoms[key] = len(self.keys)
            self.keys.append(key)
        return {((self.atoms[key], 1),): Fraction(1)}, ONE

    def reduce(self, form):
        """Replaces sqrt(v)^2 by v until no root stands squared."""
        for root, square in self.roots.items():
            if any(a == root and k > 1 for p in form for m in p for a, k in m):
                (n1, n2), (d1, d2) = (without_squares(p, root, square) for p in form)
                return self.reduce((times(n1, d2), times(n2, d1)))
        if not form[1]:
            raise Undefined
        return form

    def add(self, x, y, factor=1):
        if x[1] == y[1]:
            return plus(x[0], y[0], factor), x[1]
        return self.reduce((plus(times(x[0], y[1]), times(y[0], x[1]), factor), times(x[1], y[1])))

    def mul(self, x, y):
        return self.reduce((times(x[0], y[0]), times(x[1], y[1])))

    def power(self, x, n):
        if abs(n) > MOST_POWER:
            raise Undefined
        return self.reduce((raised(x[0], n), raised(x[1], n))) if n >= 0 else inverse(self.power(x, -n))

    def form(self, term):
        """The form of a term; Undefined where a divisor is the zero form or a polynomial grows too large."""
        for node in postorder(term):
            if node not in self.forms:
                self.forms[node] = self.make(node, [self.forms[a] for a in node.args])
        return self.forms[term]

    def make(self, node, args):
        op = node.op
        if op == "number":
            return poly(node.payload), ONE
        if op in ("+", "-"):
            return self.add(*args, 1 if op == "+" else -1)
        if op == "neg":
            return self.add((poly(0), ONE), args[0], -1)
        if op in ("*", "/"):
            return self.mul(args[0], args[1] if op == "*" else inverse(args[1]))
        if op == "^" and (n := constant(args[1], True)) is not None:
            return self.power(args[0], n)
        if op == "^":
            return self.exponential(self.mul(args[1], self.logarithm(node.args[0], args[0])), node)
        if op == "exp":
            return self.exponential(args[0], node)
        if op == "log":
            return self.logarithm(node.args[0], args[0])
        if op == "tanh" and (n := constant(args[0], True)) is not None:
            square = self.power(self.atom("e"), 2 * n)
            return self.mul(self.add(square, UNIT, -1), inverse(self.add(square, UNIT)))
        if op == "e":
            return self.atom("e")
        result = self.atom("node", node)
        if op == "sqrt":
            self.roots[self.atoms["node", node]] = args[0]
        return result

    def logarithm(self, argument, form):
        r = constant(form)
        if r is not None and r <= 0:
            raise Undefined
        return self.atom("log of node", argument) if r is None else self.atom("log", r) if r != 1 else (poly(0), ONE)

    def exponential(self, form, node):
        """exp of a form: the product of exp(c m) over its terms, if its denominator is one term."""
        numerator, denominator = form
        if len(denominator) != 1:
            return self.atom("node", node)
        (divisor, scale), = denominator.items()
        result = UNIT
        for m, c in numerator.items():
            m, c = join(m, divisor, -1), c / scale
            key = self.keys[m[0][0]] if len(m) == 1 and m[0][1] == 1 else (None,)
            if m == () and c.denominator == 1:
                base = self.atom("e")
            elif key[0] == "log" and c.denominator == 1:
                base = poly(key[1]), ONE
            else:
                base = self.atom("exp", m, c.denominator)
            result = self.mul(result, self.power(base, c.numerator))
        return result

    def same(self, left, right):
        """Whether both terms have one normal form."""
        try:
            return not self.add(self.form(left), self.form(right), -1)[0]
        except Undefined:
            return False
