"""The Lloyd tree, its symmetry, and the optimal quantisers: signs at the ends of each enclosure, then digits."""
from fixed import integer_power, mul
from gauss import Gauss
from ranges import Undefined, absolute, add, sub
from records import Invalid


class Cells:
    """Probabilities, centroids and sum P c^2 of the cells between `ends`: pairs of Points that enclose each end."""

    def __init__(self, gauss, ends):
        self.probabilities, self.centroids, self.energy = [], [], gauss.zero
        for (l1, l2), (u1, u2) in zip(ends, ends[1:]):
            p = gauss.probability(l2, u1)[0], gauss.probability(l1, u2)[1]
            # c rises in both ends: the mean lies between those of the lowest and the highest cell.
            c = gauss.mean(l1, u1)[0], gauss.mean(l2, u2)[1]
            self.probabilities.append(p)
            self.centroids.append(c)
            self.energy = add(self.energy, mul(p, integer_power(c, 2, gauss.q), gauss.q))


def has_digits(x, n):
    """The width is at most 10^-n times the smaller end in magnitude."""
    return (x[1] - x[0]) * 10 ** n <= absolute(x)[0]


class Tree:
    """Splits by depth as pairs (LO, HI) of scaled integers; cells are computed when asked for."""

    def __init__(self, scale, q, depth):
        self.gauss, self.q, self.depth = Gauss(scale, q), q, depth
        self.splits = []                       # splits[t - 1][i]
        self.cells = {}

    def ends(self, t):
        """The ends of the 2^t cells of depth t from below, as pairs of Points."""
        rows = [[]]
        for row in self.splits[:t]:
            merged = [None] * (2 * len(row) - 1)
            merged[::2] = [(self.gauss.point(a), self.gauss.point(b)) for a, b in row]
            merged[1::2] = rows[-1]
            rows.append(merged)
        return [(self.gauss.minus_infinity,) * 2, *rows[-1], (self.gauss.infinity,) * 2]

    def at(self, t):
        if t not in self.cells:
            self.cells[t] = Cells(self.gauss, self.ends(t))
        return self.cells[t]

    def distortion(self, t):
        """D = 1 - sum P c^2."""
        return sub(self.gauss.one, self.at(t).energy) if t else self.gauss.one

    def centroids(self, t):
        return self.at(t).centroids if t else [(0, 0)]

    def boundaries(self, t):
        return [(a.value[0], b.value[1]) for a, b in self.ends(t)[1:-1]]


def check_tree(depth, digits, context):
    """(lloyd-tree W n); returns the Tree."""
    records = context.records
    tree = Tree(records.scale(), context.evaluator.q, depth)
    for t in range(1, depth + 1):
        ends, row = tree.ends(t - 1), []
        for i in range(2 ** (t - 1)):
            fields = records.record("split", 4)
            records.expect(fields[0], t)
            records.expect(fields[1], i)
            low, high = (records.scaled(f) for f in fields[2:])
            if not ((low, high) == (0, 0) if t == 1 else splits(tree.gauss, ends[i], ends[i + 1], low, high)):
                raise Invalid(records.line, "bad_split")
            row.append((low, high))
        tree.splits.append(row)
    if not tree_digits(tree, digits):
        raise Invalid(context.precision_line, "not_decided")
    return tree


def splits(gauss, lower, upper, low, high):
    """f falls in both ends of the cell: f(LO) < 0 at its lowest ends, f(HI) > 0 at its highest enclose the split."""
    try:
        return low < high and gauss.pull(lower[0], gauss.point(low), upper[0])[1] < 0 and \
            gauss.pull(lower[1], gauss.point(high), upper[1])[0] > 0
    except Undefined:
        return False


def tree_digits(tree, n):
    try:
        for t in range(1, tree.depth + 1):
            values = [*tree.at(t).centroids, *tree.at(t).probabilities, tree.distortion(t),
                      sub(tree.distortion(t - 1), tree.distortion(t)), *tree.boundaries(t)]
            if not all(has_digits(v, n) for v in values if v != (0, 0)):
                return False
    except Undefined:
        return False
    return True


def check_symmetric(depth, context):
    """(lloyd-symmetric W): the used tree's splits are mirror images."""
    tree = context.evaluator.quantities.tree
    if tree is None or tree.depth < depth or any(
            row[i][0] != -row[-1 - i][1] for row in tree.splits[:depth] for i in range(len(row))):
        raise Invalid(context.precision_line, "not_decided")


class Optimal:
    """The distortions of the optimal quantisers of 2^t levels, t = 0..depth."""

    def __init__(self, gauss, depth):
        self.q, self.depth, self.distortions = gauss.q, depth, [gauss.one]

    def distortion(self, t):
        return self.distortions[t]


def check_optimal(depth, digits, context):
    """(lloyd-max T n); returns the Optimal."""
    records = context.records
    gauss = Gauss(records.scale(), context.evaluator.q)
    optimal = Optimal(gauss, depth)
    for t in range(1, depth + 1):
        fields = records.record("level", 2)
        records.expect(fields[0], t)
        radius, line, points = records.scaled(fields[1]), records.line, []
        for i in range(1, 2 ** (t - 1)):
            fields = records.record("point", 2)
            records.expect(fields[0], i)
            points.append(records.scaled(fields[1]))
        try:
            if not stationary(gauss, points, radius):
                raise Undefined
            optimal.distortions.append(half_distortion(gauss, points, radius))
        except Undefined:
            raise Invalid(line, "bad_split") from None
    if not all(has_digits(d, digits) for d in optimal.distortions):
        raise Invalid(context.precision_line, "not_decided")
    return optimal


def stationary(gauss, b, radius):
    """Whether max |F_i| < delta R: the Jacobian of F has no positive entry off its diagonal and row sums
    Var(cell i) + Var(cell i+1) >= delta near the points, so |F| < delta R leaves a zero of F within R.

    A normal law truncated further varies less (its density is log-concave), so delta comes from the smallest cells.
    """
    if not b:
        return radius == 0
    if radius <= 0 or b[0] - radius <= 0 or any(y - x <= 2 * radius for x, y in zip(b, b[1:])):
        return False
    zero, far = gauss.point(0), gauss.infinity
    lows = [zero, *(gauss.point(x + radius) for x in b)]
    highs = [*(gauss.point(x - radius) for x in b), far]
    variances = [gauss.variance(low, high)[0] for low, high in zip(lows, highs)]
    delta = min(x + y for x, y in zip(variances, variances[1:]))
    points = [zero, *(gauss.point(x) for x in b), far]
    worst = max(absolute(gauss.pull(*points[i - 1:i + 2]))[1] for i in range(1, len(b) + 1))
    return worst << gauss.scale < delta * radius


def half_distortion(gauss, b, radius):
    """D* = 1 - 2 sum P c^2 over the cells above 0."""
    ends = [(gauss.point(0),) * 2, *((gauss.point(x - radius), gauss.point(x + radius)) for x in b),
            (gauss.infinity,) * 2]
    energy = Cells(gauss, ends).energy
    return sub(gauss.one, add(energy, energy))
