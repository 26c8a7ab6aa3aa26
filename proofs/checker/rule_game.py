"""Randomised risks of the probe model: a prior, and a mixture of protocols with their answers."""
from fractions import Fraction

from probe_bayes import least_loss
from probe_encoding import TooLarge
from probe_family import family
from probe_tree import access_class, read_protocol
from records import Invalid


def check(game, context):
    """(probe-game FAMILY CLASS W R LOWER UPPER); without a prior LOWER is 0."""
    records = context.records
    source, access = family(game.family, records), access_class(game.access)
    prior = read_prior(records, source)
    try:
        least = least_loss(source, access, game.w, game.r, prior) if prior else 0
    except TooLarge:
        raise Invalid(records.line, "too_large") from None
    if least != game.value:
        raise records.bad_witness()
    if mixture_loss(records, source, access, game.w, game.r) != game.upper:
        raise records.bad_witness()


def counted(records, word, least=1):
    value = records.integer(records.record(word, 1)[0])
    if value < least:
        raise records.malformed()
    return value


def read_prior(records, source):
    prior, last = {}, (-1, -1)
    for _ in range(counted(records, "prior", 0)):
        x, y, weight = (records.integer(f) for f in records.record("pair", 3))
        if not (0 <= x < source.sources and 0 <= y < source.queries and weight >= 1 and (x, y) > last):
            raise records.malformed()
        last = x, y
        prior[last] = weight
    return prior


def mixture_loss(records, source, access, w, r):
    """The largest expected loss of a pair; reads the mixture."""
    count, total = counted(records, "mixture"), 0
    expected = [[Fraction(0)] * source.sources for _ in range(source.queries)]
    for _ in range(count):
        weight = counted(records, "weight")
        total += weight
        protocol, leaves = read_protocol(records, source, access, w, r), 2 ** min(w, r)
        for y in range(source.queries):
            numbers = [records.rational(f) for f in records.record("answers", leaves * source.numbers)]
            for x in range(source.sources):
                first = protocol.leaf(x, y) * source.numbers
                answer = numbers[first:first + source.numbers]
                expected[y][x] += weight * sum((a * source.common - t) ** 2 for a, t in zip(answer, source.targets[y][x]))
    return max(max(row) for row in expected) / (total * source.unit)
