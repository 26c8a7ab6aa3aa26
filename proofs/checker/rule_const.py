"""Relations outside quantifiers (const, codebook, counterexample), and refutations by one relation and values."""
from records import Invalid


def check(relation, context):
    """No record: the relation is certainly true."""
    decide(context.evaluator.truth(relation, {}), context.precision_line)


def decide(truth, line):
    if truth is False:
        raise Invalid(6, "verdict_differs")
    if truth is None:
        raise Invalid(line, "not_decided")


def refute(context):
    """at K and the values of the variables around relation K: the relation is certainly false there."""
    relation = numbered(context.records.record("at", 1)[0], context)
    box = read_point(relation.variables, context)
    if context.evaluator.truth(relation, box) is not False:
        raise Invalid(context.precision_line, "not_decided")


def numbered(field, context):
    """The relation of this number, counted from 1."""
    records, relations = context.records, context.claim.formula.relations
    k = records.integer(field)
    if not 1 <= k <= len(relations):
        raise records.malformed()
    return relations[k - 1]


def read_point(variables, context):
    """The `value` records of these variables: a box that is a point."""
    records, box = context.records, {}
    for variable in variables:
        name, field = records.record("value", 2)
        value = records.rational(field)
        if name != variable.name or not variable.low <= value <= variable.high or \
                variable.integer and value.denominator != 1:
            raise records.malformed()
        value = value.numerator if value.denominator == 1 else value
        box[variable] = value, value
    return box
