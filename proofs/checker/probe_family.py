"""Families of the probe model (docs/probe.md): targets of sources and queries, by name or from a certificate's lines."""
import hashlib
import re
from fractions import Fraction
from itertools import product
from math import lcm

MOST_SOURCES, MOST_QUERIES, MOST_NUMBERS = 64, 4096, 8
MOST_BITS = 4096                               # of a file's common denominator
INTEGER = "(?:0|[1-9][0-9]{0,19})"
NAME = re.compile(rf"([a-z]+):({INTEGER}(?:,{INTEGER})*)")
FILE = re.compile("file:[0-9a-f]{64}")
LABELS = re.compile("labels:([0-9a-z]+(?:,[0-9a-z]+)*)")


class Family:
    """Targets over one denominator: `targets[y][x]` is a tuple of m integers; a squared distance of them, divided by
    `unit`, is a loss."""

    def __init__(self, rows, scale):
        """rows[x][y]: m Fractions."""
        self.sources, self.queries, self.numbers = len(rows), len(rows[0]), len(rows[0][0])
        common = lcm(*(v.denominator for row in rows for target in row for v in target))
        self.common, self.unit = common, scale * self.numbers * common ** 2
        self.targets = [[tuple(v.numerator * (common // v.denominator) for v in row[y]) for row in rows]
                        for y in range(self.queries)]


def parameters(name):
    """(kind, integers) of a family's name within its bounds, ("file", hash), ("labels", words), or None."""
    if FILE.fullmatch(name):
        return "file", name[5:]
    labels = LABELS.fullmatch(name)
    if labels:
        words = labels[1].split(",")
        fits = len(words) <= MOST_QUERIES and len(words[0]) <= MOST_SOURCES and len(set(map(len, words))) == 1
        return ("labels", words) if fits else None
    found = NAME.fullmatch(name)
    if not found or found[1] not in BOUNDS:
        return None
    numbers = [int(v) for v in found[2].split(",")]
    return (found[1], numbers) if BOUNDS[found[1]](*numbers) else None


def within(count, truth):
    """A test of `count` parameters."""
    return lambda *p: len(p) == count and truth(*p)


BOUNDS = {
    "hypercube": within(1, lambda d: 1 <= d <= 6),
    "sparse": within(2, lambda d, k: 1 <= k <= d <= 6),
    "grid": within(2, lambda d, levels: 1 <= d <= 6 and 2 <= levels <= MOST_SOURCES and levels ** d <= MOST_SOURCES),
    "hadamard": within(1, lambda d: d in (1, 2, 4)),
    "attention": within(1, lambda levels: 2 <= levels <= 5),
    "pointer": within(1, lambda n: 1 <= n <= 4),
}


def grid(levels):
    return [Fraction(2 * i - (levels - 1), levels - 1) for i in range(levels)]


def signed(rows):
    return [[sign * v for v in row] for row in rows for sign in (1, -1)]


def scores(entries, d, queries):
    """z'y for all z with these entries."""
    return [[(Fraction(sum(a * b for a, b in zip(z, y))),) for y in queries] for z in product(entries, repeat=d)]


def basis(d):
    return signed([[int(i == j) for j in range(d)] for i in range(d)])


def sparse_queries(d, k):
    # product() runs the last entry fastest, here it is to be the first
    return [y[::-1] for y in product((0, 1, -1), repeat=d) if sum(v != 0 for v in y) == k]


def attention(levels):
    p, values = Fraction(22026, 22027), grid(levels)
    return [[(p * v + (1 - p) * u,) if eta * b == 1 else (p * u + (1 - p) * v,) for eta in (-1, 1)]
            for b in (-1, 1) for v in values for u in values]


def named(kind, p):
    """The family of a kind and its parameters, or of the words of labels."""
    if kind == "hypercube":
        return Family(scores((-1, 1), p[0], basis(p[0])), p[0])
    if kind == "sparse":
        return Family(scores((-1, 1), p[0], sparse_queries(*p)), p[0] * p[1])
    if kind == "grid":
        return Family(scores(grid(p[1]), p[0], basis(p[0])), p[0])
    if kind == "hadamard":
        rows = [[(-1) ** bin(i & j).count("1") for i in range(p[0])] for j in range(p[0])]
        return Family(scores((-1, 1), p[0], signed(rows)), p[0] ** 2)
    if kind == "attention":
        return Family(attention(p[0]), 1)
    if kind == "pointer":
        return Family([[(Fraction(v),) for v in (z[s], s, *z)] for s in range(p[0]) for z in product((0, 1), repeat=p[0])], 1)
    return Family([[(Fraction(int(word[x], 36)),) for word in p] for x in range(len(p[0]))], 1)


def family(name, records):
    """The family; a file's table is read from the records."""
    kind, detail = parameters(name)
    return named(kind, detail) if kind != "file" else from_records(records, detail)


def from_records(records, digest):
    head = records.record("family", 4)
    sources, queries, numbers, scale = (records.integer(f) for f in head)
    if not (1 <= sources <= MOST_SOURCES and 1 <= queries <= MOST_QUERIES and 1 <= numbers <= MOST_NUMBERS and scale >= 1):
        raise records.malformed()
    text, rows, common = " ".join(["family", *head]) + "\n", [], 1
    for _ in range(sources):
        fields = records.record("targets", queries * numbers)
        text += " ".join(["targets", *fields]) + "\n"
        values = [records.rational(f) for f in fields]
        for v in values:
            common = lcm(common, v.denominator)
            if common.bit_length() > MOST_BITS:
                raise records.malformed()
        rows.append([tuple(values[y * numbers:(y + 1) * numbers]) for y in range(queries)])
    if hashlib.sha256(text.encode()).hexdigest() != digest:
        raise records.bad_witness()
    return Family(rows, scale)
