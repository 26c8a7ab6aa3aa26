"""Normal forms: quotients of polynomials with rational coefficients in atoms.

A polynomial is a dict from monomials to non-zero Fractions; a monomial is a sorted tuple of (atom, exponent > 0).
A form is a pair (numerator, denominator), the denominator not the zero polynomial. Atoms are strings numbered by first use;
docs/certificates.md says what is an atom. Two forms are equal iff their cross products are: no common factors are
sought. Equality of forms proves equality of terms wherever both are defined, which the caller sees to.
"""
from fractions import Fraction

from fixed import Undefined
from terms import postorder

MOST_TERMS = 5000                              # a larger polynomial is given up: no normal form


def poly(value):
    return {(): Fraction(value)} if value else {}


ONE = poly(1)


def padd(a, b, sign=1):
    total = dict(a)
    for m, c in b.items():
        c = total.get(m, 0) + sign * c
        if c:
            total[m] = c
        else:
            total.pop(m, None)
    return total


def mono_mul(m, n):
    exponents = dict(m)
    for atom, k in n:
        exponents[atom] = exponents.get(atom, 0) + k
    return tuple(sorted((a, k) for a, k in exponents.items() if k))


def pmul(a, b):
    if len(a) * len(b) > MOST_TERMS:
        raise Undefined
    total = {}
    for m, c in a.items():
        for n, d in b.items():
            key = mono_mul(m, n)
            total[key] = total.get(key, 0) + c * d
    return {m: c for m, c in total.items() if c}


def ppow(a, n):
    result = ONE
    for _ in range(n):
        result = pmul(result, a)
    return result


def constant(form):
    """The rational that the form is, or None."""
    n, d = form
    if len(d) == 1 and () in d and set(n) <= {()}:
        return n.get((), Fraction(0)) / d[()]
    return None


class NormalForms:
    def __init__(self):
        self.atoms = {}                        # key -> number
        self.keys = []                         # number -> key
        self.roots = {}                        # number of a sqrt atom -> form of its square
        self.forms = {}                        # term -> form

    def atom(self, *key):
        if key not in self.atoms:
            self.atoms[key] = len(self.keys)
            self.keys.append(key)
        return self.atoms[key]

    def atom_form(self, *key):
        return {((self.atom(*key), 1),): Fraction(1)}, ONE

    # Arithmetic of forms. A product may hold squares of roots: reduce() replaces them.

    def add(self, x, y, sign=1):
        if x[1] == y[1]:
            return padd(x[0], y[0], sign), x[1]
        return self.reduce((padd(pmul(x[0], y[1]), pmul(y[0], x[1]), sign), pmul(x[1], y[1])))

    def mul(self, x, y):
        return self.reduce((pmul(x[0], y[0]), pmul(x[1], y[1])))

    def inverse(self, x):
        if not x[0]:
            raise Undefined
        return x[1], x[0]

    def power(self, x, n):
        if n < 0:
            return self.inverse(self.power(x, -n))
        if n > 200:
            raise Undefined
        return self.reduce((ppow(x[0], n), ppow(x[1], n)))

    def reduce(self, form):
        """Replaces sqrt(v)^2 by v until no root stands squared."""
        for root, square in self.roots.items():
            n, d = form
            if any(a == root and k > 1 for p in (n, d) for m in p for a, k in m):
                form = self.substitute(n, root, square), self.substitute(d, root, square)
                # n = n1/n2 and d = d1/d2 are quotients now
                (n1, n2), (d1, d2) = form
                form = pmul(n1, d2), pmul(n2, d1)
                return self.reduce(form)
        if not form[1]:
            raise Undefined
        return form

    @staticmethod
    def substitute(p, root, square):
        """p with root^(2j + r) = root^r square^j, as a quotient over one power of the square's denominator."""
        most = max((k // 2 for m in p for a, k in m if a == root), default=0)
        total = {}
        for m, c in p.items():
            k = dict(m).get(root, 0)
            rest = tuple((a, e) for a, e in m if a != root) + (((root, 1),) if k % 2 else ())
            part = pmul({tuple(sorted(rest)): c}, ppow(square[0], k // 2))
            total = padd(total, pmul(part, ppow(square[1], most - k // 2)))
        return total, ppow(square[1], most)

    # Terms.

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
        if op in ("variable", "quantity", "pi", "e"):
            return self.atom_form("e") if op == "e" else self.atom_form("leaf", op, node.payload)
        if op in "+-":
            return self.add(*args, 1 if op == "+" else -1)
        if op == "neg":
            return padd({}, args[0][0], -1), args[0][1]
        if op in "*/":
            return self.mul(args[0], args[1] if op == "*" else self.inverse(args[1]))
        if op == "^":
            n = constant(args[1])
            if n is not None and n.denominator == 1:
                return self.power(args[0], int(n))
            return self.exponential(self.mul(args[1], self.logarithm(node.args[0], args[0])), node)
        if op == "exp":
            return self.exponential(args[0], node)
        if op == "log":
            return self.logarithm(node.args[0], args[0])
        if op == "tanh" and (n := constant(args[0])) is not None and n.denominator == 1:
            e = self.power(self.atom_form("e"), int(2 * n))
            return self.mul(self.add(e, (ONE, ONE), -1), self.inverse(self.add(e, (ONE, ONE))))
        result = self.atom_form("node", node)
        if op == "sqrt":
            self.roots[self.atom("node", node)] = args[0]
        return result

    def logarithm(self, argument, form):
        r = constant(form)
        if r is None:
            return self.atom_form("log of node", argument)
        if r <= 0:
            raise Undefined
        return self.atom_form("log", r) if r != 1 else (poly(0), ONE)

    def exponential(self, form, node):
        """exp of a form: the product over its terms, if its denominator is one term."""
        numerator, denominator = form
        if len(denominator) != 1:
            return self.atom_form("node", node)
        (divisor, scale), = denominator.items()
        result = ONE, ONE
        for m, c in numerator.items():
            m, c = mono_mul(m, tuple((a, -k) for a, k in divisor)), c / scale
            key = self.keys[m[0][0]] if len(m) == 1 and m[0][1] == 1 else (None,)
            if m == () and c.denominator == 1:
                base, p = self.atom_form("e"), c.numerator
            elif key[0] == "log" and c.denominator == 1:
                base, p = (poly(key[1]), ONE), c.numerator
            else:
                base, p = self.atom_form("exp", m, c.denominator), c.numerator
            result = self.mul(result, self.power(base, p))
        return result


def same(forms, left, right):
    """Whether both terms have one normal form."""
    try:
        (a, b), (c, d) = forms.form(left), forms.form(right)
        (a, b), (c, d) = forms.reduce((a, b)), forms.reduce((c, d))
        return forms.mul((a, ONE), (d, ONE)) == forms.mul((c, ONE), (b, ONE))
    except Undefined:
        return False
