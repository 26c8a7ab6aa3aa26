"""Tests the second checker's pieces about the probe model against searches that try everything (probe_witness.py).

usage: probe_test.py [SEED [ROUNDS]]
"""
import itertools
import os
import random
import sys
from fractions import Fraction

import probe_witness as witness

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "proofs", "checker"))
import probe_ball                              # noqa: E402
import probe_bayes                             # noqa: E402
import probe_encoding                          # noqa: E402
import probe_family                            # noqa: E402
import probe_least                             # noqa: E402
import probe_tree                              # noqa: E402

CLASSES = ("oblivious", "query-independent", "staged:1", "staged:2", "staged:3", "branching")


def random_family(rng, numbers, most_sources=5):
    sources, queries = rng.randrange(1, most_sources + 1), rng.randrange(1, 4)
    values = [Fraction(k, d) for k in range(-2, 3) for d in (1, 2, 3)]
    targets = [[tuple(rng.choice(values) for _ in range(numbers)) for _ in range(queries)] for _ in range(sources)]
    scale = rng.randrange(1, 4)
    return probe_family.Family(targets, scale), (targets, scale, [])


def families(rng):
    """The named families, target by target, as the page defines them."""
    for name in ("hypercube:1", "hypercube:3", "hypercube:6"):
        d = int(name[-1])
        family, (targets, scale, _) = probe_family.family(name, None), witness.hypercube(d)
        assert same(family, targets, scale), name
    for name, (targets, scale, _) in (("labels:019a,zzzb", witness.labels("019a", "zzzb")), ("pointer:3", witness.pointer(3))):
        assert same(probe_family.family(name, None), targets, scale), name
    signs = list(itertools.product((-1, 1), repeat=3))
    sparse = [[a, b, c] for c in (0, 1, -1) for b in (0, 1, -1) for a in (0, 1, -1) if (a, b, c).count(0) == 1]
    assert same(probe_family.family("sparse:3,2", None), [[(dot(z, y),) for y in sparse] for z in signs], 6)
    rows = [[1, 1, 1, 1], [1, -1, 1, -1], [1, 1, -1, -1], [1, -1, -1, 1]]
    queries = [[s * v for v in row] for row in rows for s in (1, -1)]
    assert same(probe_family.family("hadamard:4", None), [[(dot(z, y),) for y in queries] for z in itertools.product((-1, 1), repeat=4)], 16)
    third = [Fraction(v) for v in (-1, 0, 1)]
    assert same(probe_family.family("grid:2,3", None), [[(a,), (-a,), (b,), (-b,)] for a in third for b in third], 2)
    p, rows = Fraction(22026, 22027), []
    for b, v, u in itertools.product((-1, 1), third, third):
        rows.append([(p * v + (1 - p) * u if eta * b == 1 else p * u + (1 - p) * v,) for eta in (-1, 1)])
    assert same(probe_family.family("attention:3", None), rows, 1)


def dot(a, b):
    return sum(u * v for u, v in zip(a, b))


def same(family, targets, scale):
    return family.unit == scale * family.numbers * family.common ** 2 and [
        [tuple(Fraction(v, family.common) for v in family.targets[y][x]) for y in range(family.queries)]
        for x in range(family.sources)] == [[tuple(map(Fraction, t)) for t in row] for row in targets]


def balls(rng):
    for numbers in (1, 2):
        family, other = random_family(rng, numbers, 8)
        members = rng.sample(range(family.sources), rng.randrange(1, family.sources + 1))
        for y in range(family.queries):
            assert probe_ball.set_loss(family, y, members) == witness.loss(other, y, members)
    # Helly: in m dimensions the radius is that of some m + 1 points at most.
    numbers = rng.randrange(2, 5)
    points = [tuple(rng.randrange(-4, 5) for _ in range(numbers)) for _ in range(7)]
    parts = itertools.chain(*(itertools.combinations(points, k) for k in range(1, numbers + 2)))
    assert probe_ball.squared_radius(points) == max(probe_ball.squared_radius(list(part)) for part in parts)


def batches(rng):
    depth = rng.randrange(1, 4)
    tree = [rng.choice([0, 0, 0, 1]) for _ in range(2 ** depth - 1)]
    for node in range(1, len(tree)):
        if tree[(node - 1) // 2] is None or rng.random() < 0.1:
            tree[node] = None

    def fits(node, most):
        if node >= len(tree) or tree[node] is None:
            return True
        row, allowed = [node], most > 0
        while allowed and row[0] < len(tree):
            if tree[row[0]] is None or len({tree[p] for p in row}) > 1:
                return False
            row = [c for p in row for c in (2 * p + 1, 2 * p + 2)]
            if all(fits(c, most - 1) for c in row):
                return True
        return False
    assert probe_tree.fewest_batches(tree, depth) == next(j for j in range(depth + 1) if fits(0, j)), tree


def clauses(rng):
    """The checker's clauses are the page's; they can hold exactly where the risk is smaller."""
    family, other = random_family(rng, rng.choice([1, 1, 2]), 4)
    name, w, r = rng.choice(CLASSES), rng.randrange(1, 5), rng.randrange(1, 5)
    access = probe_tree.access_class(name)
    losses = sorted({witness.loss(other, y, s) for y in range(family.queries) for k in range(2, family.sources + 1)
                     for s in itertools.combinations(range(family.sources), k)} | {Fraction(1, 7)})
    value = rng.choice([v for v in losses if v])
    lists = probe_encoding.conflict_lists(family, access.sees_query, value)
    encoding = probe_encoding.Encoding(family.sources, lists, access.sees_query, access.batches, w, r)
    count, written = witness.cnf(other, name, w, r, value)
    assert (encoding.variables, encoding.count) == (count, len(written))
    assert [encoding.clause(k + 1) for k in range(encoding.count)] == written
    if w <= 3 and len(written) < 150:
        risk = witness.best(other, name, w, r)[0]
        assert (witness.refutation(count, written) is None) == (risk < value), (name, w, r, value, risk)
    known = witness.renamings(other, name, value)
    chosen = rng.sample(known, min(len(known), 3))
    probe_least.require_least(encoding, chosen)
    count, written = witness.cnf(other, name, w, r, value, chosen)
    assert (encoding.variables, encoding.count) == (count, len(written))
    assert [encoding.clause(k + 1) for k in range(encoding.count)] == written
    if w <= 3 and len(written) < 200:
        risk = witness.best(other, name, w, r)[0]
        assert (witness.refutation(count, written) is None) == (risk < value), (name, w, r, value, risk, chosen)


def bayes(rng):
    family, other = random_family(rng, rng.choice([1, 1, 2]), 4)
    prior = {(x, y): rng.choice([1, 2, 5, 10 ** 25]) for x in range(family.sources) for y in range(family.queries) if rng.random() < 0.7} or {(0, 0): 3}
    name, w, r = rng.choice(CLASSES), rng.randrange(0, 4), rng.randrange(0, 4)
    found = probe_bayes.least_loss(family, probe_tree.access_class(name), w, r, prior)
    assert found == witness.best(other, name, w, r, witness.bayes(other, prior))[0] / sum(prior.values()), (name, w, r, prior)


def shapes(rng):
    for levels, most in itertools.product(range(1, 6), range(1, 6)):
        if most > levels or (levels, most) == (5, 3):
            continue
        made = [probe_encoding.Shape(s, levels) for s in probe_encoding.shapes(levels, most)]
        assert len(made) == len(witness.shapes(levels, most)) == probe_encoding.shape_count(levels, most)


def main(seed=1, rounds=60):
    rng = random.Random(int(seed))
    families(rng)
    shapes(rng)
    for _ in range(int(rounds)):
        for test in (balls, batches, clauses, bayes):
            test(rng)
    print(f"probe_test: seed {seed}, {rounds} rounds")


if __name__ == "__main__":
    main(*sys.argv[1:])
