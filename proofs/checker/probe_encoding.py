"""Conflicts, shapes and clauses of docs/probe.md: nothing is stored but what a clause's number needs to name it."""
from bisect import bisect_right
from fractions import Fraction
from itertools import combinations, product
from math import comb

from probe_ball import pair_squared, set_loss

MOST_SETS = {True: 1 << 20, False: 1 << 16}    # sets of sources tried, of targets that are one number or more
MOST_SHAPES = 1 << 12
MOST_NODES = 1 << 20                           # of all shapes together


class TooLarge(Exception):
    pass


def query_conflicts(family, y, value):
    """The minimal sets of sources that lose at least `value` together, by size, then by members."""
    threshold = 4 * value * family.unit
    ceiling = -(-threshold.numerator // threshold.denominator)
    found, seen = [], set()
    clear = []                                 # sets of the last size that hold no conflict
    for pair in combinations(range(family.sources), 2):
        if pair_squared(family, y, *pair) >= ceiling:
            found.append(pair)
            seen.add(pair)
        else:
            clear.append(pair)
    for size in range(3, min(family.numbers + 1, family.sources) + 1):
        free, next_clear = set(clear), []
        for s in clear:
            for x in range(s[-1] + 1, family.sources):
                larger = (*s, x)
                if any(larger[:i] + larger[i + 1:] not in free for i in range(size - 1)):
                    continue
                if set_loss(family, y, larger) >= value:
                    found.append(larger)
                else:
                    next_clear.append(larger)
        clear = next_clear
    return found


def conflict_lists(family, sees_query, value):
    """The lists of the encoding; TooLarge beyond its bounds."""
    tried = sum(comb(family.sources, k) for k in range(2, family.numbers + 2)) * family.queries
    if tried > MOST_SETS[family.numbers == 1]:
        raise TooLarge
    lists = []
    for y in range(family.queries):
        conflicts = query_conflicts(family, y, Fraction(value))
        if conflicts and conflicts not in lists:
            lists.append(conflicts)
    if sees_query or not lists:
        return lists
    union = set().union(*lists)
    minimal = [s for s in union if not any(t in union for k in range(2, len(s)) for t in combinations(s, k))]
    return [sorted(minimal, key=lambda s: (len(s), s))]


def shape_count(levels, batches):
    """How many shapes there are, or MOST_SHAPES + 1 where there are more."""
    if batches <= 1:
        return 1
    total = 0
    for first in range(1, levels - batches + 2):
        inner, power = shape_count(levels - first, min(batches - 1, levels - first)), 1
        for _ in range(2 ** first if inner > 1 else 0):
            power = min(power * inner, MOST_SHAPES + 1)
            if power > MOST_SHAPES:
                break
        total += power
    return min(total, MOST_SHAPES + 1)


def shapes(levels, batches):
    """In order: (first, shapes of its outcomes), or None where no level is left."""
    if levels == 0:
        return [None]
    if batches == 1:
        return [(levels, (None,) * 2 ** levels)]
    return [(first, inner) for first in range(1, levels - batches + 2)
            for inner in product(shapes(levels - first, min(batches - 1, levels - first)), repeat=2 ** first)]


class Shape:
    """slot_of[node], and for each slot whether it is its batch's first."""

    def __init__(self, nested, levels):
        self.slot_of, self.is_first = [None] * (2 ** levels - 1), []
        self.number(nested, 0)

    def number(self, nested, node):
        if nested is None:
            return
        levels, outcomes = nested
        for level in range(levels):
            for p in range(((node + 1) << level) - 1, ((node + 2) << level) - 1):
                self.slot_of[p] = len(self.is_first)
            self.is_first.append(level == 0)
        for i, inner in enumerate(outcomes):
            self.number(inner, ((node + 1) << levels) - 1 + i)


class Encoding:
    """Clauses by number, from 1."""

    def __init__(self, sources, lists, sees_query, batches, w, r):
        depth = min(w, r)
        if not sees_query:
            w, batches = depth, 1
        batches = 1 if depth == w else min(batches, depth)
        count = shape_count(depth, batches)
        if count > MOST_SHAPES or count << depth > MOST_NODES:
            raise TooLarge
        self.sources, self.w, self.full = sources, w, depth == w
        self.nodes = 2 ** depth - 1
        self.shapes = [Shape(s, depth) for s in shapes(depth, batches)]
        self.several = len(self.shapes) > 1
        self.lists = lists
        self.more = []                         # clauses at the end (probe_least.py)
        self.number_slots()
        # Where the variables and the clauses of each list begin.
        self.variables, self.count = w * sources, w + (w - 1 if sources > 1 else 0)
        self.first_variable, self.first_clause = [], []
        for conflicts in lists:
            self.first_variable.append(self.variables)
            self.first_clause.append(self.count)
            self.variables += len(self.shapes) * self.several + self.slots * w + len(conflicts) * (self.nodes - 1)
            self.count += self.several + self.slot_clauses + len(conflicts) * len(self.shapes) * self.nodes * self.addresses * 2

    def number_slots(self):
        """Slots of all shapes in order: where the clauses of each begin within their list."""
        self.addresses = 1 if self.full else self.w
        self.first_slot, self.slot_start, self.slot_place = [], [], []
        self.slots = self.slot_clauses = 0
        for shape in self.shapes:
            self.first_slot.append(self.slots)
            for slot, is_first in enumerate(shape.is_first):
                self.slot_start.append(self.slot_clauses)
                self.slot_place.append((slot, is_first))
                self.slot_clauses += 1 + (0 if self.full or is_first else self.w * (self.w + 1) // 2)
                self.slots += 1

    def clause(self, number):
        k = number - 1
        if k >= (listed := self.count - len(self.more)):
            return self.more[k - listed]
        if k < self.w:
            return [-(k * self.sources + 1)]
        if k < (self.first_clause[0] if self.first_clause else self.count):
            i = k - self.w
            return [-(i * self.sources + 2), (i + 1) * self.sources + 2]
        which = bisect_right(self.first_clause, k) - 1
        k -= self.first_clause[which]
        base = self.first_variable[which]
        if self.several:
            if k == 0:
                return [base + s + 1 for s in range(len(self.shapes))]
            k -= 1
        address = base + len(self.shapes) * self.several + 1     # a(s, slot, i) is address + slot of all w + i
        if k < self.slot_clauses:
            return self.slot_clause(k, address)
        return self.conflict_clause(k - self.slot_clauses, self.lists[which], base, address)

    def slot_clause(self, k, address):
        at = bisect_right(self.slot_start, k) - 1
        own, k = address + at * self.w, k - self.slot_start[at]
        if k == 0:
            return [own + self.slot_place[at][0]] if self.full else [own + i for i in range(self.w)]
        i = 0
        k -= 1
        while k > i:                           # row i has i + 1 clauses
            k -= i + 1
            i += 1
        return [-(own - self.w + i), -(own + k)]

    def conflict_clause(self, k, conflicts, base, address):
        k, bit = divmod(k, 2)
        k, i = divmod(k, self.addresses)
        k, node = divmod(k, self.nodes)
        c, s = divmod(k, len(self.shapes))
        slot = self.shapes[s].slot_of[node]
        if self.full:
            i = slot
        come = address + self.slots * self.w + c * (self.nodes - 1) - 1      # t(c, p) is come + p
        clause = [-(base + s + 1)] if self.several else []
        if node:
            clause.append(-(come + node))
        clause.append(-(address + (self.first_slot[s] + slot) * self.w + i))
        clause += [(-1 if bit else 1) * (i * self.sources + x + 1) for x in conflicts[c]]
        child = 2 * node + 1 + bit
        if child < self.nodes:
            clause.append(come + child)
        return clause
