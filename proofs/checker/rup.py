"""Refutations by unit propagation with hints: `rup L L ... 0 H H ...`."""
from functools import lru_cache

MOST_KEPT = 1 << 17                            # clauses of the encoding, made once while they are in use


def refute(records, encoding, count):
    """Reads `count` lines; each derives a clause from the encoding's and those before it, the last one the empty one."""
    derived, clause = [], lru_cache(MOST_KEPT)(encoding.clause)
    for _ in range(count):
        numbers = records.integers(records.fields("rup"))
        if 0 not in numbers:
            raise records.malformed()
        zero = numbers.index(0)
        literals, hints = numbers[:zero], numbers[zero + 1:]
        used, first = {abs(v) for v in literals}, encoding.count + 1
        if not hints or min(hints) < 1 or max(hints) >= first + len(derived) or max(used, default=0) > encoding.variables or \
                len(used) != len(literals):
            raise records.malformed()
        if not follows(literals, [clause(h) if h < first else derived[h - first] for h in hints]):
            raise records.bad_witness()
        derived.append(literals)
    if derived[-1]:
        raise records.bad_witness()


def follows(literals, clauses):
    """With the literals false, each clause has one literal left, which is then true, and the last one none."""
    false = set(literals)
    for clause in clauses[:-1]:
        left = [v for v in clause if v not in false]
        if len(left) != 1:
            return False
        false.add(-left[0])
    return all(v in false for v in clauses[-1])
