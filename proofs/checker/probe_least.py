"""Least records (docs/probe.md): renamings of the sources that keep the conflicts, and the clauses that these allow."""
from records import Invalid

MOST_WORK = 1 << 20                            # conflicts renamed


def read_renamings(records, encoding, count):
    """The next `count` records, each a permutation that makes of the lists the same lists."""
    lists = {frozenset(conflicts) for conflicts in encoding.lists}
    work, renamings = sum(map(len, lists)), []
    for number in range(1, count + 1):
        renaming = [records.integer(f) for f in records.fields("renaming")]
        if sorted(renaming) != list(range(encoding.sources)):
            raise records.malformed()
        if number * work > MOST_WORK:
            raise Invalid(records.line, "too_large")
        if {frozenset(tuple(sorted(renaming[x] for x in c)) for c in conflicts) for conflicts in lists} != lists:
            raise records.bad_witness()
        renamings.append(renaming)
    return renamings


def require_least(encoding, renamings):
    """Appends the clauses to the encoding."""
    def z(i, x):
        return i * encoding.sources + x + 1

    for i in range(encoding.w - 1):
        compare(encoding, [(z(i, x), z(i + 1, x), None) for x in range(1, encoding.sources)])
    for renaming in renamings:
        first, skipped = renaming[0], set() if renaming[0] else {max(cycle(renaming, x)) for x in range(encoding.sources)}
        compare(encoding, [(z(i, x), z(i, renaming[x]), z(i, first) if first else None)
                           for x in range(1, encoding.sources) if x not in skipped for i in range(encoding.w)])


def cycle(renaming, x):
    """x and what becomes of it."""
    out = [x]
    while renaming[out[-1]] != x:
        out.append(renaming[out[-1]])
    return out


def compare(encoding, places):
    """One table's bits `here`, in order, are not greater than the other's, which are `u` or the sum of `u` and `v`."""
    before = []                                # the literal that says "not all places so far agree"
    for k, (here, u, v) in enumerate(places, 1):
        same = [u] if v is None else [u, v]    # where these are false the other's bit is 0
        zero = [same] if v is None else [same, [-u, -v]]
        clauses = [[-here, *rest] for rest in zero]
        if k < len(places):
            encoding.variables += 1
            clauses += [[*rest, encoding.variables] for rest in zero] + [[-here, encoding.variables]]
        encoding.more += [before + clause for clause in clauses]
        encoding.count += len(clauses)
        before = [-encoding.variables]
