"""Integer quantifiers: every instance, the last variable fastest."""
from itertools import product
from math import prod

from formula import Forall, Relation
from records import Invalid
from rule_const import decide


def inside(part):
    """All variables bound in the quantifier, outermost first, and the relations in it."""
    if isinstance(part, Relation):
        return [], [part]
    own, parts = (part.variables, [part.body]) if isinstance(part, Forall) else ([], part.arguments)
    found = [inside(p) for p in parts]
    return sum((f[0] for f in found), own), sum((f[1] for f in found), [])


def check(forall, context):
    """cases N; returns N."""
    variables, relations = inside(forall)
    sizes = [range(v.low, v.high + 1) for v in variables]
    records = context.records
    count = records.integer(records.record("cases", 1)[0])
    if count < 0:
        raise records.malformed()
    if count != prod(len(s) for s in sizes):
        raise Invalid(records.line, "bad_count")
    for values in product(*sizes):
        box = {v: (value, value) for v, value in zip(variables, values)}
        for relation in relations:
            decide(context.evaluator.truth(relation, box), records.line)
    return count
