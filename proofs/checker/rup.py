"""Refutations by unit propagation with hints: `rup L L ... 0 H H ...`."""


def refute(records, encoding, count):
    """Reads `count` lines; each derives a clause from the encoding's and those before it, the last one the empty one."""
    derived = []
    for _ in range(count):
        numbers = [records.integer(f) for f in records.fields("rup")]
        if 0 not in numbers:
            raise records.malformed()
        zero = numbers.index(0)
        literals, hints = numbers[:zero], numbers[zero + 1:]
        known = encoding.count + len(derived)
        if not hints or any(not 1 <= h <= known for h in hints) or any(abs(v) > encoding.variables for v in literals) or \
                len({abs(v) for v in literals}) != len(literals):
            raise records.malformed()
        if not follows(literals, [encoding.clause(h) if h <= encoding.count else derived[h - encoding.count - 1] for h in hints]):
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
