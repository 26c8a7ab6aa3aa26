"""Witnesses for small families of the probe model (docs/probe.md), found by trying everything: no checker's code.

A family is (targets, scale, table): targets[x][y] is a tuple of Fractions, `table` the lines of a file's table (else []).
"""
import hashlib
import itertools
from fractions import Fraction


def hypercube(d):
    signs = list(itertools.product((-1, 1), repeat=d))
    return [[(Fraction(s * z[i]),) for i in range(d) for s in (1, -1)] for z in signs], d, []


def labels(*words):
    return [[(Fraction("0123456789abcdefghijklmnopqrstuvwxyz".index(word[x])),) for word in words] for x in range(len(words[0]))], 1, []


def pointer(n):
    return [[(Fraction(v),) for v in (z[p], p, *z)] for p in range(n) for z in itertools.product((0, 1), repeat=n)], 1, []


def from_table(targets, scale):
    """A file: (its name, the family)."""
    lines = [f"family {len(targets)} {len(targets[0])} {len(targets[0][0])} {scale}"]
    lines += ["targets " + " ".join(str(v) for target in row for v in target) for row in targets]
    digest = hashlib.sha256("".join(line + "\n" for line in lines).encode()).hexdigest()
    return f"file:{digest}", ([[tuple(Fraction(v) for v in target) for target in row] for row in targets], scale, lines)


def loss(family, y, members):
    """The squared radius of the smallest ball: the largest over sets of two and three points. For targets of one or two
    numbers that is Helly's theorem."""
    targets, scale, _ = family
    points = [targets[x][y] for x in members]
    most = Fraction(0)
    for a, b in itertools.combinations(points, 2):
        most = max(most, squared(a, b) / 4)
    if len(points[0]) > 1:
        for a, b, c in itertools.combinations(points, 3):
            most = max(most, of_triangle(squared(a, b), squared(b, c), squared(c, a)))
    return most / (scale * len(points[0]))


def squared(a, b):
    return sum((u - v) ** 2 for u, v in zip(a, b))


def of_triangle(p, q, r):
    """From the squared sides: half the longest side, or the circumradius abc / (4 area) where all angles are acute."""
    p, q, r = sorted((p, q, r))
    area = 2 * (p * q + q * r + r * p) - p * p - q * q - r * r      # 16 area^2
    return r / 4 if r >= p + q else p * q * r / area


def trees(w, depth, batches):
    """All trees that fit in so many batches; the heap as nested (address, zero, one), None a leaf."""
    if depth == 0:
        return [None]
    found = []
    for first in range(1, depth + 1):
        if batches == 1 and first < depth:
            continue
        inner = trees(w, depth - first, batches - 1)
        for addresses in itertools.combinations(range(w), first):
            for outcome in itertools.product(inner, repeat=2 ** first):
                found.append(batch(addresses, outcome))
    return found


def batch(addresses, outcomes):
    if not addresses:
        return outcomes[0]
    half = len(outcomes) // 2
    return addresses[0], batch(addresses[1:], outcomes[:half]), batch(addresses[1:], outcomes[half:])


def heap(tree, depth):
    """Addresses in heap order."""
    rows, out = [tree], []
    for _ in range(depth):
        out += [t[0] for t in rows]
        rows = [child for t in rows for child in t[1:]]
    return out


def leaf(nodes, record):
    p = 0
    while p < len(nodes):
        p = 2 * p + 1 + (record >> nodes[p] & 1)
    return p - len(nodes)


def classes(name):
    """(sees the query, batches)"""
    if name.startswith("staged:"):
        return True, int(name[7:])
    return {"oblivious": (False, 1), "query-independent": (False, 99), "branching": (True, 99)}[name]


def best(family, name, w, r, cost=None):
    """(value, records, trees): the least over all encoders of the worst over queries of the best tree's worst leaf, or
    with `cost(y, members)` of the sum over queries and leaves."""
    cost_of, join = (cost, sum) if cost else (lambda y, s: loss(family, y, s), max)
    targets = family[0]
    sees, batches = classes(name)
    depth, known, found = min(w, r), {}, None
    all_trees = [heap(t, depth) for t in trees(w, depth, min(batches, depth) or 1)]

    def value(y, records, tree):
        sets = {}
        for x, z in enumerate(records):
            sets.setdefault(leaf(tree, z), []).append(x)
        return join([kept(y, tuple(s)) for s in sets.values()])

    def kept(y, members):
        if (y, members) not in known:
            known[y, members] = cost_of(y, members)
        return known[y, members]

    for records in itertools.product(range(2 ** w), repeat=len(targets) - 1):
        records = (0, *records)                # complementing a bit changes nothing
        if sees:
            chosen = [min((value(y, records, t), t) for t in all_trees) for y in range(len(targets[0]))]
            total = join([v for v, _ in chosen])
        else:
            total, tree = min((join([value(y, records, t) for y in range(len(targets[0]))]), t) for t in all_trees)
            chosen = [(total, tree)]
        if found is None or total < found[0]:
            found = total, records, [t for _, t in chosen]
            if not total:
                break
    return found


def protocol_lines(found):
    return [f"record {hex(z)}" for z in found[1]] + [" ".join(["tree", *map(str, t)]) for t in found[2]]


def conflicts(family, y, value):
    n, m = len(family[0]), len(family[0][0][0])
    out = []
    for size in range(2, m + 2):
        for s in itertools.combinations(range(n), size):
            if not any(set(c) < set(s) for c in out) and loss(family, y, s) >= value:
                out.append(s)
    return out


def shapes(levels, batches):
    """Each a list of batches in order: (levels, first node)."""
    def below(node, levels, batches):
        if levels == 0:
            return [[]]
        out = []
        for b in [levels] if batches == 1 else range(1, levels - batches + 2):
            inner = [below(((node + 1) << b) - 1 + i, levels - b, min(batches - 1, levels - b)) for i in range(2 ** b)]
            out += [[(b, node), *itertools.chain(*choice)] for choice in itertools.product(*inner)]
        return out
    return below(0, levels, batches)


def conflict_lists(family, sees, value):
    lists = []
    for y in range(len(family[0][0])):
        found = conflicts(family, y, value)
        if found and found not in lists:
            lists.append(found)
    if sees:
        return lists
    every = set(itertools.chain(*lists))
    return [sorted((c for c in every if not any(set(d) < set(c) for d in every)), key=lambda c: (len(c), c))] if every else []


def renamings(family, name, value):
    """All permutations of the sources that keep the lists."""
    lists = conflict_lists(family, classes(name)[0], value)
    return [p for p in itertools.permutations(range(len(family[0])))
            if all(sorted(tuple(sorted(p[x] for x in c)) for c in found) in map(sorted, lists) for found in lists)]


def least(n, z, numbers, chosen):
    """The clauses on least records, with renamings `chosen`; z[i][x] are the variables, `numbers` those to come."""
    clauses = []

    def compare(places):
        agree = [None, *(next(numbers) for _ in places[1:])]
        for k, (own, *other) in enumerate(places):
            so_far = [-agree[k]] if k else []
            signs = [s for s in itertools.product((1, -1), repeat=len(other)) if s.count(-1) % 2 == 0]
            differs = [[s * v for s, v in zip(sign, other)] for sign in signs]     # all false only where the other's bit is 0
            clauses.extend([*so_far, -own, *d] for d in differs)
            if k + 1 < len(places):
                clauses.extend([*so_far, *d, agree[k + 1]] for d in differs)
                clauses.append([*so_far, -own, agree[k + 1]])

    for low, high in zip(z, z[1:]):
        compare([(low[x], high[x]) for x in range(1, n)])
    for p in chosen:
        places = []
        for x in range(1, n):
            orbit, y = {x}, p[x]
            while y != x:
                orbit.add(y)
                y = p[y]
            if p[0] or x < max(orbit):
                places += [(row[x], row[p[x]], row[p[0]]) if p[0] else (row[x], row[p[x]]) for row in z]
        compare(places)
    return clauses


def cnf(family, name, w, r, value, chosen=None):
    """(number of variables, clauses) as docs/probe.md lists them; `chosen`: least records with these renamings."""
    n, (sees, batches), depth = len(family[0]), classes(name), min(w, r)
    lists = conflict_lists(family, sees, value)
    if not sees:
        w = r = depth
    batches = 1 if depth == w or not sees else min(batches, depth)
    numbers = itertools.count(1)
    z = [[next(numbers) for _ in range(n)] for _ in range(w)]
    clauses = [[-z[i][0]] for i in range(w)]
    if n > 1:
        clauses += [[-z[i][1], z[i + 1][1]] for i in range(w - 1)]
    made = []
    for shape in shapes(depth, batches):
        slot_of, firsts = {}, []
        for levels, node in shape:
            for level in range(levels):
                for i in range(2 ** level):
                    slot_of[((node + 1) << level) - 1 + i] = len(firsts)
                firsts.append(level == 0)
        made.append((slot_of, firsts))
    for found in lists:
        u = [next(numbers) for _ in made] if len(made) > 1 else None
        a = [[[next(numbers) for _ in range(w)] for _ in firsts] for _, firsts in made]
        t = [{p: next(numbers) for p in range(1, 2 ** depth - 1)} for _ in found]
        if u:
            clauses.append(u)
        for s, (_, firsts) in enumerate(made):
            for slot, first in enumerate(firsts):
                clauses.append([a[s][slot][slot]] if depth == w else list(a[s][slot]))
                if depth < w and not first:
                    clauses += [[-a[s][slot - 1][i], -a[s][slot][j]] for i in range(w) for j in range(i + 1)]
        for c, members in enumerate(found):
            for s, (slot_of, _) in enumerate(made):
                for p in range(2 ** depth - 1):
                    for i in [slot_of[p]] if depth == w else range(w):
                        for b in (0, 1):
                            clause = [-u[s]] if u else []
                            clause += [-t[c][p]] if p else []
                            clause.append(-a[s][slot_of[p]][i])
                            clause += [-z[i][x] if b else z[i][x] for x in members]
                            clause += [t[c][2 * p + 1 + b]] if 2 * p + 1 + b in t[c] else []
                            clauses.append(clause)
    if chosen is not None:
        clauses += least(n, z, numbers, chosen)
    return next(numbers) - 1, clauses


def refutation(count, clauses):
    """`rup` lines by splitting on variables in order, or None where the clauses can hold."""
    lines, store = [], list(clauses)

    def add(literals, hints):
        lines.append(" ".join(["rup", *map(str, literals), "0", *map(str, hints)]))
        store.append(literals)
        return len(store)

    def refute(decisions):
        """The number of a clause that is false under the decisions, by propagation or by two cases; None: satisfied."""
        true, trail = {v: True for v in decisions}, []
        while True:
            moved = False
            for number, clause in enumerate(store[:len(clauses)], 1):
                if any(v in true for v in clause):
                    continue
                left = [v for v in clause if -v not in true]
                if not left:
                    return add([-v for v in decisions], [*trail, number])
                if len(left) == 1:
                    true[left[0]] = True
                    trail.append(number)
                    moved = True
            if not moved:
                break
        free = next((v for v in range(1, count + 1) if v not in true and -v not in true), None)
        if free is None:
            return None
        one = refute([*decisions, free])
        other = refute([*decisions, -free]) if one else None
        return other and add([-v for v in decisions], [one, other])

    return lines if refute([]) else None


def clique_of(family, value, size):
    """Sources any two of which lose at least `value` together for some query, or None."""
    queries = range(len(family[0][0]))
    for members in itertools.combinations(range(len(family[0])), size):
        if all(any(loss(family, y, pair) >= value for y in queries) for pair in itertools.combinations(members, 2)):
            return members
    return None


def lower_lines(family, name, w, r, value, unsat=False):
    """Why no protocol has a smaller risk; by clauses wherever they say it if `unsat`."""
    depth = min(w, r)
    if unsat and depth and value:
        proof = refutation(*cnf(family, name, w, r, value))
        return [f"lower unsat {len(proof)}", *proof]
    if not value:
        return ["lower zero"]
    if not depth:
        return ["lower unread"]
    members = clique_of(family, value, 2 ** (w if classes(name)[0] else depth) + 1)
    if members:
        return [" ".join(["lower clique", *map(str, members)])]
    return lower_lines(family, name, w, r, value, True)


def risk_lines(family, name, w, r, unsat=False):
    """(value, records) of one risk, without the file's table."""
    found = best(family, name, w, r)
    return found[0], protocol_lines(found) + lower_lines(family, name, w, r, found[0], unsat)


def table_lines(family, w, r):
    lines = list(family[2])
    for bits in range(w + 1):
        for probes in range(r + 1):
            for name in ("oblivious", "query-independent", *(f"staged:{j}" for j in range(1, probes + 2)), "branching"):
                value, records = risk_lines(family, name, bits, probes)
                lines += [f"risk {bits} {probes} {name} {value}", *records]
    return lines


def bayes(family, prior):
    """cost(y, members): the expected loss in a leaf, times the prior's total weight."""
    targets, scale, _ = family

    def cost(y, members):
        weights = [prior.get((x, y), 0) for x in members]
        total, out = sum(weights), Fraction(0)
        for k in range(len(targets[0][0])):
            mean = sum(w * targets[x][y][k] for w, x in zip(weights, members)) / total if total else 0
            out += sum(w * (targets[x][y][k] - mean) ** 2 for w, x in zip(weights, members))
        return out / (scale * len(targets[0][0]))
    return cost


def game_lines(family, name, w, r, prior, mixture):
    """(lower, upper, records); the mixture is a list of (weight, records, trees): answers are the means of the leaves."""
    targets, scale, table = family
    lower = best(family, name, w, r, bayes(family, prior))[0] / sum(prior.values())
    lines = [*table, f"prior {len(prior)}", *(f"pair {x} {y} {v}" for (x, y), v in sorted(prior.items())), f"mixture {len(mixture)}"]
    expected = {}
    for weight, records, chosen in mixture:
        lines += [f"weight {weight}", *protocol_lines((None, records, chosen))]
        for y in range(len(targets[0])):
            tree, answers = chosen[y if len(chosen) > 1 else 0], []
            for at in range(2 ** min(w, r)):
                here = [targets[x][y] for x in range(len(targets)) if leaf(tree, records[x]) == at]
                answers.append([sum(column) / len(here) for column in zip(*here)] if here else [Fraction(7)] * len(targets[0][0]))
            lines.append(" ".join(["answers", *(str(v) for answer in answers for v in answer)]))
            for x in range(len(targets)):
                error = squared(targets[x][y], answers[leaf(tree, records[x])]) / (scale * len(targets[0][0]))
                expected[x, y] = expected.get((x, y), 0) + weight * error
    upper = max(expected.values()) / sum(weight for weight, _, _ in mixture)
    return lower, upper, lines
