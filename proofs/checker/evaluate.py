"""Values of terms on a box, and the three-valued truth of a relation.

A value is exact (a range of rationals) as long as its operands are; the first irrational operation turns it into a
fixed-point enclosure at P + GUARD bits. Constant subterms are computed once.
"""
import exact
import fixed
from fixed import Undefined
from normal_form import NormalForms, same
from terms import postorder

GUARD = 64
EXACT = {"+": exact.add, "-": exact.sub, "*": exact.mul, "/": exact.div, "neg": exact.neg, "abs": exact.absolute,
         "min": exact.minimum, "max": exact.maximum, "floor": exact.floor}
LINEAR = {"+": fixed.add, "-": fixed.sub, "neg": fixed.neg, "abs": fixed.absolute, "min": exact.minimum,
          "max": exact.maximum}
FIXED = {"*": fixed.mul, "/": fixed.div}
FUNCTIONS = {"sqrt": fixed.sqrt, "exp": fixed.exp, "log": fixed.log, "erf": fixed.erf, "erfc": fixed.erfc,
             "tanh": fixed.tanh}


class Value:
    __slots__ = ("exact", "low", "high")

    def __init__(self, is_exact, ends):
        self.exact, (self.low, self.high) = is_exact, ends


class Evaluator:
    """Evaluates at precision P; `quantities` gives the certified ones, as get(payload) -> (q or None, ends)."""

    def __init__(self, precision, quantities):
        self.q = precision + GUARD
        self.quantities = quantities
        self.constants, self.functions = {}, {}
        self.normal_forms = NormalForms()

    def enclose(self, value):
        """The ends at q."""
        if not value.exact:
            return value.low, value.high
        low = fixed.from_ratio(value.low.numerator, value.low.denominator, self.q)
        if value.low is value.high:
            return low
        return low[0], fixed.from_ratio(value.high.numerator, value.high.denominator, self.q)[1]

    def value(self, term, box):
        """The value of the term where each variable v lies in box[v]; Undefined outside a domain."""
        values = {}
        for node in postorder(term):
            found = self.constants.get(node) if node.constant else None
            if found is None:
                found = self.apply(node, [values[a] for a in node.args], box)
                if node.constant:
                    self.constants[node] = found
            values[node] = found
        return values[term]

    def apply(self, node, args, box):
        op = node.op
        if op == "number":
            return Value(True, (node.payload, node.payload))
        if op == "variable":
            return Value(True, box[node.payload])
        if op == "quantity":
            q, ends = self.quantities.get(node.payload)
            return Value(True, ends) if q is None else Value(False, fixed.rescale(ends, q, self.q))
        if op in EXACT and all(a.exact for a in args):
            return Value(True, EXACT[op](*[(a.low, a.high) for a in args]))
        if op == "^":
            n = exact.integer((args[1].low, args[1].high)) if args[1].exact else None
            if n is not None and args[0].exact:
                return Value(True, exact.power((args[0].low, args[0].high), n))
            if n is not None:
                return Value(False, fixed.integer_power(self.enclose(args[0]), n, self.q))
        return Value(False, self.irrational(op, [self.enclose(a) for a in args]))

    def irrational(self, op, ends):
        q = self.q
        if op in LINEAR:
            return LINEAR[op](*ends)
        if op in FIXED:
            return FIXED[op](*ends, q)
        if op == "floor":
            return ends[0][0] >> q << q, ends[0][1] >> q << q
        key = (op, *ends)                      # instances and leaves repeat the same arguments
        found = self.functions.get(key)
        if found is None:
            if op in ("pi", "e"):
                found = getattr(fixed, op)(q)
            else:
                found = fixed.real_power(*ends, q) if op == "^" else FUNCTIONS[op](*ends, q)
            self.functions[key] = found
        return found

    def link(self, op, left, right, box):
        """Truth of one link: True, False or None where it is open."""
        try:
            a, b = self.value(left, box), self.value(right, box)
        except Undefined:
            return None
        exactly = a.exact and b.exact
        x, y = ((a.low, a.high), (b.low, b.high)) if exactly else (self.enclose(a), self.enclose(b))
        truth = compare(op, x, y)
        if truth is None and not exactly and op in ("=", "<=", ">="):
            return True if same(self.normal_forms, left, right) else None
        return truth

    def truth(self, relation, box):
        """Three-valued truth of a chain: false where one link is, else open where one link is."""
        truths = [self.link(relation.op, a, b, box) for a, b in zip(relation.terms, relation.terms[1:])]
        return False if False in truths else None if None in truths else True

    def identical(self, relation, box):
        """Whether all terms of an `=` have one normal form and are defined on the whole box."""
        try:
            for term in relation.terms:
                self.value(term, box)
        except Undefined:
            return False
        return all(same(self.normal_forms, a, b) for a, b in zip(relation.terms, relation.terms[1:]))


def compare(op, x, y):
    if op in (">", ">="):
        op, x, y = op.replace(">", "<"), y, x
    if op == "<":
        return True if x[1] < y[0] else False if x[0] >= y[1] else None
    if op == "<=":
        return True if x[1] <= y[0] else False if x[0] > y[1] else None
    if x[1] < y[0] or y[1] < x[0]:
        return False
    return True if x[0] == x[1] == y[0] == y[1] else None
