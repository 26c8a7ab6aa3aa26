"""The loss of sources in one leaf: the squared radius of the smallest ball around their targets, exactly."""
from fractions import Fraction
from itertools import combinations


def pair_squared(family, y, a, b):
    """Four times the squared radius for two sources."""
    column = family.targets[y]
    return sum((u - v) ** 2 for u, v in zip(column[a], column[b]))


def set_loss(family, y, members):
    """The least worst loss of one answer for these sources (at least one) and query y."""
    column = family.targets[y]
    return squared_radius([column[x] for x in members]) / family.unit


def squared_radius(points):
    if len(points[0]) == 1:
        values = [p[0] for p in points]
        return Fraction((max(values) - min(values)) ** 2, 4)
    centre, radius, support = points[0], Fraction(0), [points[0]]
    while True:                                # the radius grows with every turn
        far = max(points, key=lambda p: squared(p, centre))
        if squared(far, centre) <= radius:
            return radius
        centre, radius, support = small_ball([*support, far])


def squared(a, b):
    return sum((u - v) ** 2 for u, v in zip(a, b))


def small_ball(points):
    """Centre, squared radius and support for m + 2 points at most: the ball through some of them whose centre lies in
    their convex hull and that holds all."""
    for size in range(2, len(points) + 1):
        for support in combinations(points, size):
            centre = circumcentre(support)
            if centre is None:
                continue
            radius = squared(support[0], centre)
            if all(squared(p, centre) <= radius for p in points):
                return centre, radius, list(support)
    raise AssertionError("points have a smallest ball")


def circumcentre(points):
    """The point of their convex hull that is equally far from all of them, or None."""
    first, *others = points
    edges = [[u - v for u, v in zip(p, first)] for p in others]
    rows = [[2 * sum(u * v for u, v in zip(a, b)) for b in edges] + [sum(u * u for u in a)] for a in edges]
    weights = solve(rows)
    if weights is None or min(weights) < 0 or sum(weights) > 1:
        return None
    return [v + sum(w * e[k] for w, e in zip(weights, edges)) for k, v in enumerate(first)]


def solve(rows):
    """The solution of a square system, each row with its right side, or None where it is singular."""
    rows = [[Fraction(v) for v in row] for row in rows]
    for i in range(len(rows)):
        pivot = next((k for k in range(i, len(rows)) if rows[k][i]), None)
        if pivot is None:
            return None
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [v / rows[i][i] for v in rows[i]]
        for k in range(len(rows)):
            if k != i and rows[k][i]:
                factor = rows[k][i]
                rows[k] = [u - factor * v for u, v in zip(rows[k], rows[i])]
    return [row[-1] for row in rows]
