"""A user's table: binary32 numbers, splits strictly inside their cells, centroids within theirs."""
from quantities import binary32
from ranges import Undefined, point
from records import Invalid

DEEPEST = 12


class Table:
    """Boundaries and centroids by depth, as exact ranges; distortions are enclosed at q."""

    def __init__(self, q):
        self.q, self.levels = q, []

    @property
    def depth(self):
        return len(self.levels) - 1


def entry(records, word, t, i):
    fields = records.record(word, 3)
    records.expect(fields[0], t)
    records.expect(fields[1], i)
    value = records.rational(fields[2])
    try:
        if binary32(value) != value:
            raise Undefined
    except Undefined:
        raise records.malformed() from None
    return value


def ascending(records, *values):
    """None stands for an infinite end."""
    known = [v for v in values if v is not None]
    if known != sorted(known):
        raise Invalid(records.line, "bad_split")


def check(context):
    """(codebook); returns the Table."""
    records, table, outer = context.records, Table(context.evaluator.q), []
    depth = records.integer(records.record("depth", 1)[0])
    if not 1 <= depth <= DEEPEST:
        raise records.malformed()
    for t in range(depth + 1):
        boundaries = []
        for low, high in zip([None, *outer], [*outer, None]) if t else ():
            split = entry(records, "split", t, len(boundaries) // 2)
            ascending(records, low, split, high)
            if split in (low, high):
                raise Invalid(records.line, "bad_split")
            boundaries += [split] if high is None else [split, high]
        centroids = []
        for low, high in zip([None, *boundaries], [*boundaries, None]):
            centroids.append(entry(records, "centroid", t, len(centroids)))
            ascending(records, low, centroids[-1], high)
        table.levels.append([[point(v) for v in column] for column in (boundaries, centroids)])
        outer = boundaries
    return table
