"""Deterministic risks of the probe model: a protocol that reaches the risk, and why none has a smaller one."""
from fractions import Fraction
from itertools import combinations

from probe_ball import pair_squared, set_loss
from probe_encoding import Encoding, TooLarge, conflict_lists
from probe_family import family
from probe_least import read_renamings, require_least
from probe_tree import access_class, read_protocol
from records import Invalid
from rup import refute


def check_risk(risk, context):
    """(probe-risk FAMILY CLASS W R VALUE)"""
    records = context.records
    check_one(records, family(risk.family, records), access_class(risk.access), risk.w, risk.r, risk.value)


def check_table(table, context):
    """(probe-table FAMILY W R); the context keeps the risks by (family, class), w and r."""
    records = context.records
    source = family(table.family, records)
    for w in range(table.w + 1):
        for r in range(table.r + 1):
            for access in ("oblivious", "query-independent", *(f"staged:{j}" for j in range(1, r + 2)), "branching"):
                fields = records.record("risk", 4)
                records.expect(fields[0], w)
                records.expect(fields[1], r)
                value = records.rational(fields[3])
                if fields[2] != access or value < 0:
                    raise records.malformed()
                check_one(records, source, access_class(access), w, r, value)
                context.risks[table.family, access, w, r] = value


def check_one(records, source, access, w, r, value):
    protocol = read_protocol(records, source, access, w, r)
    if max(set_loss(source, y, leaf) for y in range(source.queries) for leaf in protocol.leaves(y)) != value:
        raise records.bad_witness()
    lower = records.fields("lower")
    kind, rest = lower[0], lower[1:]
    depth = min(w, r)
    if kind in ("zero", "unread") and not rest:
        if value if kind == "zero" else depth:
            raise records.bad_witness()
    elif kind == "clique" and rest:
        members = [records.integer(f) for f in rest]
        if not all(a < b for a, b in zip([-1, *members], [*members, source.sources])):
            raise records.malformed()
        if len(members) <= 2 ** (w if access.sees_query else depth) or not is_clique(source, members, value):
            raise records.bad_witness()
    elif (kind, len(rest)) in (("unsat", 1), ("least", 2)):
        *renamings, count = map(records.integer, rest)
        if count < 1 or min(renamings, default=0) < 0:
            raise records.malformed()
        if not depth:
            raise records.bad_witness()
        try:
            lists = conflict_lists(source, access.sees_query, value)
            encoding = Encoding(source.sources, lists, access.sees_query, access.batches, w, r)
        except TooLarge:
            raise Invalid(records.line, "too_large") from None
        if renamings:
            require_least(encoding, read_renamings(records, encoding, renamings[0]))
        refute(records, encoding, count)
    else:
        raise records.malformed()


def is_clique(source, members, value):
    """Whether any two lose at least `value` together for some query."""
    threshold = Fraction(4 * value * source.unit)
    ceiling = -(-threshold.numerator // threshold.denominator)
    return all(any(pair_squared(source, y, a, b) >= ceiling for y in range(source.queries))
               for a, b in combinations(members, 2))
