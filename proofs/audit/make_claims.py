"""Writes proofs/audit/claims.tsv: one row for each sentence of the papers that derives a number from printed numbers.

usage: make_claims.py          prints the registry's rows; the test audit.rows compares them with claims.tsv

It translates and decides nothing. The sentences and their formulas are tests/data/papers/claims_derived.json (its `operators`
say what they mean), the printed numbers tests/data/papers/*_tables.json; which verdict is recorded and what is noted beside it
stands in exceptions.tsv, for all that is not plainly proved.
"""
import json
import os
import re
import sys
from fractions import Fraction

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "..", "..", "tests", "data", "papers")
COLUMNS = ["id", "paper", "place", "scope", "statement", "rule", "formula", "recorded", "effort", "note", "proof"]
PAPERS = {"readkv": "ReadKV", "aatc": "AATC"}
INFIX = {"add": "+", "sub": "-", "mul": "*", "div": "/", "neg": "-", "abs": "abs", "pow": "^", "exp": "exp", "ln": "log",
         "floor": "floor", "min": "min", "max": "max"}
ORDER = {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "equals": "="}


def plain(printed):
    """The number's digits as the formula language writes them: no space, no plus, a digit before the point."""
    text = printed.replace(" ", "").lstrip("+")
    return re.sub(r"^(-?)\.", r"\g<1>0.", text)


def unit(printed):
    """One unit of the last printed digit."""
    digits, _, power = plain(printed).lower().partition("e")
    return Fraction(10) ** (int(power or 0) - len(digits.partition(".")[2]))


def decimal(value):
    """A finite decimal, exactly."""
    places = next(k for k in range(60) if (value * 10 ** k).denominator == 1)
    digits = f"{abs(int(value * 10 ** places)):0{places + 1}d}"
    whole = digits[:len(digits) - places] + ("." + digits[len(digits) - places:] if places else "")
    return "-" * (value < 0) + whole


def tables(data=DATA):
    out = {}
    for paper in PAPERS:
        with open(os.path.join(data, f"{paper}_tables.json"), encoding="utf-8") as file:
            out.update({(paper, t["table"]): t["cells"] for t in json.load(file)["tables"]})
    return out


class Cells:
    """The printed tables, and what a leaf of an entry refers to in them."""

    def __init__(self, data=DATA):
        self.tables = tables(data)

    def cell(self, leaf):
        _, paper, table, place, _ = leaf
        row, _, column = place.rpartition("/")
        return self.tables[paper, table][row][column]

    def digits(self, leaf, entry):
        if leaf[0] == "cell":
            return self.cell(leaf)[leaf[4]]
        if leaf[0] == "value":
            return ([entry["value"]] if isinstance(entry["value"], str) else entry["value"])[leaf[1]]
        return leaf[1]

    def is_exact(self, leaf):
        return leaf[0] == "cell" and self.cell(leaf).get("exact", False)


class Row:
    """One entry's formula. Each cell and each stated value is one variable, however often it is used."""

    def __init__(self, entry, cells):
        self.entry, self.cells = entry, cells
        self.leaves = self.variables_of(entry["formula"])
        self.names = self.short_names()
        body = self.relation(entry["formula"])
        pairs = " ".join(f"({self.names[i]} {plain(cells.digits(leaf, entry))})" for i, leaf in enumerate(self.leaves))
        self.formula = f"(printed ({pairs}) {body})" if pairs else body
        self.rule = "cover" if pairs else "const"

    def variables_of(self, form):
        """The leaves that stand for a rounded number, in order. A number quoted from the text is a new one each time."""
        found = []

        def walk(x):
            if not isinstance(x, list) or x[:1] in (["exact"], ["same"], ["count_same_printed"]):
                return
            if x[0] in ("cell", "value", "printed"):
                if not self.cells.is_exact(x) and (x[0] == "printed" or x not in found):
                    found.append(x)
                return
            for part in x[1:2] if x[0] == "eq" else x[1:]:
                walk(part)
        walk(form)
        return found

    def short_names(self):
        """What tells the cells of the entry apart: of paper, table, row, column and field the parts in which they differ."""
        parts = [(f"t{leaf[2]}", *leaf[3].rpartition("/")[::2], leaf[4]) for leaf in self.leaves if leaf[0] == "cell"]
        differing = [k for k in range(4) if len({p[k] for p in parts}) > 1] or [2]
        names, count = [], {"value": "stated", "printed": "quoted"}
        cells = iter(parts)
        for leaf in self.leaves:
            if leaf[0] == "cell":
                cell = next(cells)
                name = re.sub(r"[^A-Za-z0-9]+", "_", "_".join(cell[k] for k in differing)).strip("_")
                name = name if name[:1].isalpha() and name not in ("e", "pi") else "c_" + name
            else:
                name = f"{count[leaf[0]]}_{sum(1 for n in names if n.startswith(count[leaf[0]])) + 1}"
            while name in names:
                name += "_"
            names.append(name)
        self.quoted = iter([n for n, leaf in zip(names, self.leaves) if leaf[0] == "printed"])
        return names

    def variable(self, leaf):
        if leaf[0] == "printed":
            return next(self.quoted)
        return self.names[self.leaves.index(leaf)]

    def term(self, form):
        head, rest = form[0], form[1:]
        if head == "exact":
            return plain(self.cells.digits(rest[0], self.entry) if isinstance(rest[0], list) else rest[0])
        if head in ("cell", "value", "printed"):
            return plain(self.cells.digits(form, self.entry)) if self.cells.is_exact(form) else self.variable(form)
        if head in ("pi", "e"):
            return head
        if head == "mean":
            return f"(/ {self.sum([self.term(x) for x in rest])} {len(rest)})"
        if head == "count_positive":                # 1 where x > 0, else 0: the least integer >= x, cut to 0..1
            return self.sum([f"(min 1 (max 0 (- (floor {self.negated(x)}))))" for x in rest])
        if head == "count_same_printed":            # all, less 1 for each pair that differs
            differ = [f"(min 1 (- (floor (- (abs (- {a} {b}))))))" for a, b in (map(self.constant, pair) for pair in rest)]
            return f"(- {len(rest)} {' '.join(differ)})"
        return f"({INFIX[head]} {' '.join(self.term(x) for x in rest)})"

    def constant(self, leaf):
        return plain(self.cells.digits(leaf, self.entry))

    def negated(self, form):
        if form[0] == "sub" and len(form) == 3:
            first, second = (self.term(x) for x in form[1:])
            return f"(- {second} {first})"
        return f"(- {self.term(form)})"

    @staticmethod
    def sum(terms):
        return terms[0] if len(terms) == 1 else f"(+ {' '.join(terms)})"

    def relation(self, form):
        head, rest = form[0], form[1:]
        if head == "all":
            return f"(and {' '.join(self.relation(x) for x in rest)})"
        if head == "same":
            return f"(= {self.constant(rest[0])} {self.constant(rest[1])})"
        if head == "eq":                            # rounds to these digits
            digits = self.cells.digits(rest[1], self.entry)
            value, half = Fraction(plain(digits)), unit(digits) / 2
            return f"(<= {decimal(value - half)} {self.term(rest[0])} {decimal(value + half)})"
        if head == "about":
            x, target, tolerance = (self.term(y) for y in rest)
            return f"(<= (- {target} {tolerance}) {x} (+ {target} {tolerance}))"
        return f"({ORDER[head]} {self.term(rest[0])} {self.term(rest[1])})"


def doubtful(form, cells):
    """How many cells of uncertain place the entry rests on."""
    if not isinstance(form, list):
        return set()
    if form[:1] == ["cell"]:
        return {tuple(form)} if "doubt" in cells.cell(form) else set()
    return set().union(*(doubtful(x, cells) for x in form))


def statement(entry):
    values = [entry["value"]] if isinstance(entry["value"], str) else entry["value"]
    return f"{entry['said']}: {', '.join(values)}" if values else entry["said"]


def exceptions(path=os.path.join(HERE, "exceptions.tsv")):
    with open(path, encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file][1:]
    return {row[0]: row[1:] for row in rows}


def rows(data=DATA):
    cells, special = Cells(data), exceptions()
    with open(os.path.join(data, "claims_derived.json"), encoding="utf-8") as file:
        entries = json.load(file)["claims"]
    unknown = set(special) - {entry["id"] for entry in entries}
    if unknown:
        sys.exit(f"exceptions.tsv: no such entry: {' '.join(sorted(unknown))}")
    for entry in entries:
        row = Row(entry, cells)
        recorded, note = special.get(entry["id"], ["proved", ""])
        doubt = len(doubtful(entry["formula"], cells))
        if doubt:
            note = (note + " " if note else "") + (f"The place in the table of {doubt} of its cells is not certain: the text of the "
                                                   "paper gives them column by column.")
        yield ["paper.audit." + entry["id"], PAPERS[entry["paper"]], entry["where"], "exact", statement(entry), row.rule,
               row.formula, recorded, "default", note, ""]


def main():
    for row in [COLUMNS, *rows()]:
        assert not any("\t" in field or "\n" in field for field in row), row[0]
        print("\t".join(row))


if __name__ == "__main__":
    main()
