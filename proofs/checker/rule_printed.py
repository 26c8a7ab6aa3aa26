"""Printed numbers: a statement that holds for all values that were rounded to them, for none, or for some."""
import rule_const
import rule_cover
from records import Invalid


def check(part, verdict, context):
    if verdict == "supported":
        holds(part, context)
        rule_const.refute(context)
        return
    leaf = true_leaf if verdict == "proved" else false_leaf
    whole = {v: (v.low, v.high) for v in part.variables}
    rule_cover.cover(part.variables, whole, context, lambda box: leaf(box, context))


def holds(part, context):
    """holds and the values of the variables: all relations are certainly true there."""
    context.records.record("holds", 0)
    box = rule_const.read_point(part.variables, context)
    if not all_true(box, context):
        raise Invalid(context.precision_line, "not_decided")


def all_true(box, context):
    return all(context.evaluator.truth(relation, box) is True for relation in context.claim.formula.relations)


def true_leaf(box, context):
    context.records.record("leaf", 0)
    if not all_true(box, context):
        raise Invalid(context.records.line, "not_decided")


def false_leaf(box, context):
    """leaf K: relation K is certainly false on the box."""
    relation = rule_const.numbered(context.records.record("leaf", 1)[0], context)
    if context.evaluator.truth(relation, box) is not False:
        raise Invalid(context.records.line, "not_decided")
