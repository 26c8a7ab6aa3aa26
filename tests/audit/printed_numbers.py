"""Decides the sentences of claims_derived.json a second way, from the JSON itself: no registry, no formula language.

An operator of the JSON is evaluated on intervals of Fractions: where that says yes or no for every value, it is so. What it leaves
open is decided by points: the margin by which the entry holds is climbed up and down, a coordinate at a time. A point where the
entry holds and one where it fails make a rounding edge; if they are not found the answer is None, never a guess.
"""
import json
import math
from fractions import Fraction as F

GRID = (F(0), F(1, 8), F(1, 4), F(1, 2), F(3, 4), F(7, 8), F(1))
INNER = tuple(F(k, 64) for k in (1, 4, 8, 16, 32, 48, 56, 60, 63))
PI = F(314159265358979, 10 ** 14), F(314159265358980, 10 ** 14)
E = F(271828182845904, 10 ** 14), F(271828182845905, 10 ** 14)


class Paper:
    def __init__(self, folder):
        def load(name):
            with open(f"{folder}/{name}.json", encoding="utf-8") as file:
                return json.load(file)
        self.entries = load("claims_derived")["claims"]
        self.cells = {(paper, t["table"], row + "/" + column): cell for paper in ("readkv", "aatc")
                      for t in load(paper + "_tables")["tables"] for row, cells in t["cells"].items()
                      for column, cell in cells.items()}


class Entry:
    """One sentence. `share` places each number within its rounding: 0 at the lower end, 1 at the upper one."""

    def __init__(self, entry, paper):
        self.entry, self.paper, self.share, self.used = entry, paper, {}, {}

    def written(self, leaf):
        if leaf[0] == "cell":
            return self.paper.cells[tuple(leaf[1:4])][leaf[4]].replace(" ", "")
        if leaf[0] == "value":
            values = self.entry["value"]
            return values if isinstance(values, str) else values[leaf[1]]
        return leaf[1]

    @staticmethod
    def half(text):
        mantissa, _, power = text.partition("e")
        return F(10) ** int(power or 0) / 10 ** len(mantissa.partition(".")[2]) / 2

    def leaf(self, leaf):
        text = self.written(leaf)
        middle, half = F(text), self.half(text)
        if leaf[0] == "cell" and self.paper.cells[tuple(leaf[1:4])].get("exact"):
            half = F(0)
        key = tuple(leaf) if leaf[0] != "printed" else id(leaf)
        self.used[key] = half
        if key in self.share:
            middle += (2 * self.share[key] - 1) * half
            half = F(0)
        return middle - half, middle + half

    def value(self, form):
        head, rest = form[0], form[1:]
        if head == "exact":
            x = F(self.written(rest[0]) if isinstance(rest[0], list) else rest[0])
            return x, x
        if head in ("cell", "value", "printed"):
            return self.leaf(form)
        if head in ("pi", "e"):
            return PI if head == "pi" else E
        if head == "count_same_printed":
            n = F(sum(F(self.written(a)) == F(self.written(b)) for a, b in rest))
            return n, n
        return self.apply(head, [self.value(x) for x in rest])

    @staticmethod
    def apply(head, a):
        lows, highs = [x[0] for x in a], [x[1] for x in a]
        if head in ("add", "mean"):
            n = len(a) if head == "mean" else 1
            return sum(lows) / n, sum(highs) / n
        if head == "neg":
            return -highs[0], -lows[0]
        if head == "sub":
            return lows[0] - sum(highs[1:]), highs[0] - sum(lows[1:])
        if head in ("mul", "div"):
            low, high = a[0]
            for c, d in a[1:]:
                if head == "div":
                    assert c > 0 or d < 0, "a divisor that may vanish"
                    c, d = 1 / d, 1 / c
                corners = (low * c, low * d, high * c, high * d)
                low, high = min(corners), max(corners)
            return low, high
        if head == "pow":
            n = int(lows[1])
            assert lows[1] == highs[1] == n and (n > 0 or lows[0] > 0)
            ends = lows[0] ** n, highs[0] ** n
            return F(0) if n % 2 == 0 and lows[0] < 0 < highs[0] else min(ends), max(ends)
        if head in ("exp", "ln"):                   # libm, far less than 1e-12 away
            low, high = (F((math.exp if head == "exp" else math.log)(x)) for x in a[0])
            return low - abs(low) / 10 ** 12, high + abs(high) / 10 ** 12
        if head == "abs":
            return F(0) if lows[0] < 0 < highs[0] else min(map(abs, a[0])), max(map(abs, a[0]))
        if head == "floor":
            return F(math.floor(lows[0])), F(math.floor(highs[0]))
        if head == "count_positive":
            return F(sum(x > 0 for x in lows)), F(sum(x > 0 for x in highs))
        choose = {"min": min, "max": max}[head]
        return choose(lows), choose(highs)

    def margin(self, form):
        """The range of the margin by which a relation holds, and whether it must be above zero, not only at it."""
        head, rest = form[0], form[1:]
        if head == "all":
            return [m for part in rest for m in self.margin(part)]
        if head == "same":
            return [((F(0),) * 2 if F(self.written(rest[0])) == F(self.written(rest[1])) else (F(-1),) * 2, False)]
        x = self.value(rest[0])
        if head == "eq":
            y, d = F(self.written(rest[1])), self.half(self.written(rest[1]))
            return [((x[0] - y + d, x[1] - y + d), False), ((y + d - x[1], y + d - x[0]), False)]
        y = self.value(rest[1])
        up, down = (y[0] - x[1], y[1] - x[0]), (x[0] - y[1], x[1] - y[0])
        if head == "about":
            d = self.value(rest[2])[0]
            return [((m[0] + d, m[1] + d), False) for m in (up, down)]
        if head == "equals":
            return [(up, False), (down, False)]
        return [(up if head in ("lt", "le") else down, head in ("lt", "gt"))]

    def truth(self):
        """Of the whole entry, over all values that are not placed: True, False, or None where intervals do not tell."""
        truths = []
        for (low, high), strict in self.margin(self.entry["formula"]):
            yes, no = (low > 0, high <= 0) if strict else (low >= 0, high < 0)
            truths.append(True if yes else False if no else None)
        return False if False in truths else None if None in truths else True

    def least_margin(self):
        return min((low + high) / 2 for (low, high), _ in self.margin(self.entry["formula"]))

    def climb(self, goal, grid=GRID):
        """Looks for a point where the entry's truth is the goal, with each number at one of these shares."""
        sign = 1 if goal else -1
        self.share = {key: F(1, 2) for key in self.used}
        best = sign * self.least_margin()
        for _ in range(4):
            if self.truth() is goal:
                return True
            for key in self.used:
                for step in grid:
                    before, self.share[key] = self.share[key], step
                    now = sign * self.least_margin()
                    if now > best:
                        best = now
                    else:
                        self.share[key] = before
        return self.truth() is goal

    def needs_tie(self):
        """After verdict(), of a rounding edge: whether the points of one kind lie where a number is half a unit from its digits."""
        return not (self.climb(True, INNER) and self.climb(False, INNER))

    def verdict(self):
        """(proved, refuted, supported or None; whether it holds at the printed digits as they stand)"""
        whole = self.truth()
        self.share = {key: F(1, 2) for key in self.used}
        printed = self.truth()
        if whole is not None:
            return ("proved" if whole else "refuted"), printed
        return ("supported" if self.climb(True) and self.climb(False) else None), printed
