"""Values of terms on a box, and the three-valued truth of a relation.

A value is exact (a range of rationals) as long as its operands are; the first irrational operation turns it into a
fixed-point enclosure at P + GUARD bits. Constant subterms are computed once.
"""
import fixed
import functions
import ranges
from normal_form import NormalForms
from ranges import Undefined
from terms import postorder

GUARD = 64
EXACT = {"+": ranges.add, "-": ranges.sub, "*": ranges.mul, "/": ranges.div, "neg": ranges.neg,
         "abs": ranges.absolute, "min": ranges.minimum, "max": ranges.maximum, "floor": ranges.floor}
FIXED = {"sqrt": fixed.sqrt, "exp": fixed.exp, "log": fixed.log, "erf": fixed.erf, "erfc": fixed.erfc,
         "tanh": fixed.tanh, "pi": fixed.pi, "e": fixed.e, "^": fixed.real_power, "*": fixed.mul, "/": fixed.div,
         "floor": lambda x, q: (x[0] >> q << q, x[1] >> q << q)}


class Enclosure(tuple):
    """The ends of a fixed-point enclosure at the evaluator's q; an exact range is a plain tuple."""
    __slots__ = ()


class Evaluator:
    """Evaluates at precision P; `quantities` gives the certified ones, as get(payload) -> (q or None, ends)."""

    def __init__(self, precision, quantities):
        self.q, self.quantities = precision + GUARD, quantities
        self.constants, self.functions, self.normal_forms = {}, {}, NormalForms()
        self.box, self.values = None, {}       # the values of terms on the box asked for last

    def enclose(self, value):
        if isinstance(value, Enclosure):
            return value
        low = fixed.from_ratio(value[0].numerator, value[0].denominator, self.q)
        if value[0] is value[1]:
            return low
        return low[0], fixed.from_ratio(value[1].numerator, value[1].denominator, self.q)[1]

    def value(self, term, box):
        """The value of the term where each variable v lies in box[v]; Undefined outside a domain."""
        if box is not self.box:
            self.box, self.values = box, {}
        for node in postorder(term):
            known = self.constants if node.constant else self.values
            if node not in known:
                known[node] = self.apply(node, [(self.constants if a.constant else self.values)[a] for a in node.args])
        return (self.constants if term.constant else self.values)[term]

    def apply(self, node, args):
        op, exact = node.op, Enclosure not in map(type, args)
        if exact and op in EXACT:
            return EXACT[op](*args)
        if op == "number":
            return ranges.point(node.payload)
        if op == "variable":
            return self.box[node.payload]
        if op == "quantity":
            q, ends = self.quantities.get(node.payload)
            return ends if q is None else Enclosure(fixed.rescale(ends, q, self.q))
        if op in functions.NAMES:
            return self.function(op, args)
        if op.startswith("probe."):
            return ranges.point(self.quantities.risk(op, *(ranges.integer(a) if exact else None for a in args)))
        n = ranges.integer(args[1]) if op == "^" and type(args[1]) is tuple else None
        if n is not None and exact:
            return ranges.power(args[0], n)
        ends = [self.enclose(a) for a in args]
        if n is not None:
            return Enclosure(fixed.integer_power(ends[0], n, self.q))
        if op not in FIXED:                    # + - neg abs min max, the same on any numbers
            return Enclosure(EXACT[op](*ends))
        key = op, *ends                        # instances and leaves repeat the same arguments
        if key not in self.functions:
            self.functions[key] = Enclosure(FIXED[op](*ends, self.q))
        return self.functions[key]

    def function(self, name, args):
        if any(isinstance(a, Enclosure) or a[0] != a[1] for a in args):
            raise Undefined
        result = functions.value(name, [a[0] for a in args])
        exact = functions.exact(result)
        if exact is not None:
            return ranges.point(exact)
        return Enclosure(ranges.add(self.enclose(ranges.point(result[0])), functions.irrational_part(result, self.q)))

    def link(self, op, left, right, box):
        """Truth of one link: True, False or None where it is open."""
        try:
            a, b = self.value(left, box), self.value(right, box)
        except Undefined:
            return None
        if type(a) is type(b) is tuple:
            return compare(op, a, b)
        truth = compare(op, self.enclose(a), self.enclose(b))
        if truth is None and op in ("=", "<=", ">=") and self.normal_forms.same(left, right):
            return True
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
        return all(self.normal_forms.same(a, b) for a, b in zip(relation.terms, relation.terms[1:]))


def compare(op, x, y):
    if op in (">", ">="):
        op, x, y = op.replace(">", "<"), y, x
    if op == "<":
        return True if x[1] < y[0] else False if x[0] >= y[1] else None
    if op == "<=":
        return True if x[1] <= y[0] else False if x[0] > y[1] else None
    return True if x[0] == x[1] == y[0] == y[1] else False if x[1] < y[0] or y[1] < x[0] else None
