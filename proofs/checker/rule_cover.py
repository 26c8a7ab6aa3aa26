"""Real quantifiers: identities by normal forms, other relations on the leaves of a cover."""
from records import Invalid

MOST_SPLITS = 1 << 16


def check(relation, context):
    whole = {v: (v.low, v.high) for v in relation.variables}
    if relation.op != "=":
        cover(relation.variables, whole, context, lambda box: leaf(relation, box, context))
    elif not context.evaluator.identical(relation, whole):
        raise Invalid(context.precision_line, "not_decided")


def leaf(relation, box, context):
    context.records.record("leaf", 0)
    if context.evaluator.truth(relation, box) is not True:
        raise Invalid(context.records.line, "not_decided")


def cover(variables, whole, context, check_leaf):
    """The cover's lines in order: a split pushes its upper box, then its lower one, so that the lower comes next."""
    records, splits = context.records, 0
    names = {v.name: v for v in variables}
    boxes = [whole]
    while boxes:
        box = boxes.pop()
        if not records.next_is(b"split "):
            check_leaf(box)
            continue
        name, field = records.record("split", 2)
        at, variable, splits = records.rational(field), names.get(name), splits + 1
        if variable is None or not box[variable][0] < at < box[variable][1] or splits > MOST_SPLITS:
            raise records.malformed()
        boxes.append({**box, variable: (at, box[variable][1])})
        boxes.append({**box, variable: (box[variable][0], at)})
