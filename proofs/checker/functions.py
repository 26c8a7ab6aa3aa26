"""The functions of rationals that formulas know by name (docs/formulas.md), as clipped + active * power^(1/active)."""
from fractions import Fraction

from ranges import Undefined

MOST_DEPTH_VECTORS = 10 ** 6
NAMES = ("greedy", "best", "largest", "waterfill")


def integer(x, least, most):
    if x != int(x) or not least <= x <= most:
        raise Undefined
    return int(x)


def items_of(numbers, depth):
    """Lists of (gain, cost)."""
    if len(numbers) % (2 * depth):
        raise Undefined
    pairs = [(gain, integer(cost, 1, 1000)) for gain, cost in zip(numbers[::2], numbers[1::2])]
    return [pairs[i:i + depth] for i in range(0, len(pairs), depth)]


def greedy(items, budget):
    depths, total = [0] * len(items), 0
    while True:
        ready = [(item[t], i) for i, (item, t) in enumerate(zip(items, depths)) if t < len(item)]
        ready = [(gain, -i, cost) for (gain, cost), i in ready if gain > 0 and cost <= budget]
        if not ready:
            return total
        gain, i, cost = max(ready)
        total, budget = total + gain, budget - cost
        depths[-i] += 1


def best(items, budget):
    """The most that depths within the budget collect: for each sum of costs, the best sum of gains."""
    totals = {0: 0}
    for item in items:
        prefixes = [(0, 0)]
        for gain, cost in item:
            prefixes.append((prefixes[-1][0] + gain, prefixes[-1][1] + cost))
        merged = {}
        for cost, gain in totals.items():
            for more, extra in prefixes:
                key = cost + extra
                if key <= budget and gain + more > merged.get(key, gain + more - 1):
                    merged[key] = gain + more
        totals = merged
    return max(totals.values())


def water_filling(weights, depth, budget):
    """C_W(B): depths min{W, max{0, log4(a/tau)}} spend B where the product of the clamped a/tau is 4^B."""
    weights, deepest = [Fraction(a) for a in weights if a], 4 ** depth
    if budget == 0:
        return sum(weights), 0, 1
    if budget >= depth * len(weights):
        return Fraction(sum(weights)) / deepest, 0, 1
    breaks = sorted(set(weights) | {a / deepest for a in weights}, reverse=True)
    for above, below in zip(breaks, breaks[1:]):
        spent = 1
        for a in weights:
            spent *= min(deepest, max(1, a / below))
        if spent >= 4 ** budget:               # tau lies in [below, above), where the product is a power of tau
            clipped, active, power = 0, 0, Fraction(1, 4 ** budget)
            for a in weights:
                if a <= below:
                    clipped += a
                elif a / deepest >= above:
                    clipped, power = clipped + a / deepest, power * deepest
                else:
                    active, power = active + 1, power * a
            return clipped, active, power
    raise Undefined


def value(name, arguments):
    """(clipped, active, power); Undefined where an argument is out of range."""
    leading = 1 if name == "largest" else 2
    budget, rest = integer(arguments[leading - 1], 0, 1000000), arguments[leading:]
    if name == "largest":
        return sum(sorted((g for g in rest if g > 0), reverse=True)[:budget]), 0, 1
    depth = integer(arguments[0], 1, 64)
    if name == "waterfill":
        if any(a < 0 for a in rest):
            raise Undefined
        return water_filling(rest, depth, budget)
    items = items_of(rest, depth)
    if name == "greedy":
        return greedy(items, budget), 0, 1
    if (depth + 1) ** len(items) > MOST_DEPTH_VECTORS:
        raise Undefined
    return best(items, budget), 0, 1


def floor_root(x, n):
    """The largest integer whose n-th power is at most x >= 0."""
    low, high = 0, 1 << x.bit_length() // n + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if middle ** n <= x else (low, middle)
    return low


def exact(result):
    """The value where it is rational, else None."""
    clipped, active, power = result
    if not active:
        return clipped
    roots = [floor_root(part, active) for part in (power.numerator, power.denominator)]
    if roots[0] ** active != power.numerator or roots[1] ** active != power.denominator:
        return None
    return clipped + active * Fraction(*roots)


def irrational_part(result, q):
    """Ends of active * power^(1/active) at q."""
    _, active, power = result
    low = floor_root((power.numerator << q * active) // power.denominator, active)
    return active * low, active * (low + 1)
