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
    records, relations = context.records, context.claim.formula.relations
    k = records.integer(records.record("at", 1)[0])
    if not 1 <= k <= len(relations):
        raise records.malformed()
    relation, box = relations[k - 1], {}
    for variable in relation.variables:
        name, field = records.record("value", 2)
        value = records.rational(field)
        if name != variable.name or not variable.low <= value <= variable.high or \
                variable.integer and value.denominator != 1:
            raise records.malformed()
        value = value.numerator if value.denominator == 1 else value
        box[variable] = value, value
    if context.evaluator.truth(relation, box) is not False:
        raise Invalid(context.precision_line, "not_decided")
