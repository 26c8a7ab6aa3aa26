"""The part of the corpus about the probe model: risks, tables of them, terms that speak of a table, and games."""
import itertools

import probe_witness as p

TRIANGLE = [[("0", "0"), ("0", "0")], [("2", "0"), ("1/2", "0")], [("1", "2"), ("0", "0")], [("1", "1"), ("1/2", "-1/3")]]
PLANE, PLANAR = p.from_table(TRIANGLE, 3)
# One query loses 25/32 by three sources, the other by two of them.
NESTED, NEST = p.from_table([[("0", "0"), ("0", "0")], [("2", "0"), ("5/2", "0")], [("1", "2"), ("0", "0")]], 1)
LINE, LINEAR = p.from_table([[("0",)], [("1/3",)], [("1",)]], 1)
FAMILIES = {"hypercube:2": p.hypercube(2), "labels:100,010,001": p.labels("100", "010", "001"), "labels:10000,01000,00100,00010,00001": p.labels("10000", "01000", "00100", "00010", "00001"),
            "labels:1010,1100,0000": p.labels("1010", "1100", "0000"), "pointer:1": p.pointer(1), PLANE: PLANAR, LINE: LINEAR, NESTED: NEST}
TABLES = (("hypercube:2", 3, 2), ("labels:100,010,001", 2, 1))
CLASSES = ("oblivious", "query-independent", "staged:1", "staged:2", "branching")


def claims():
    """Rows for the small registry: rule and formula by id."""
    term = "(probe.hypercube:2.{} {} {})".format
    undefined = {"deep": term("branching", 4, 0), "negative": term("branching", -1, 0), "half": term("branching", "1/2", 0),
                 "irrational": term("branching", "pi", 0), "class": term("staged:9", 1, 1), "family": "(probe.pointer:2.oblivious 0 0)",
                 "quantified": None}
    rows = {"readkv.c.risks": ("unsat", "(and " + " ".join(f"(probe-table {f} {w} {r})" for f, w, r in TABLES) + ")"),
            "s.probe.single": ("const", f"(= 0 {term('staged:1', 2, 1)} (- {term('oblivious', '(+ 1 1)', 1)} 1/2))"),
            "s.probe.order": ("enumerate", f"(forall ((w int 0 3) (r int 0 2)) (<= {term('branching', 'w', 'r')} {term('staged:1', 'w', 'r')}"
                                           f" {term('oblivious', 'w', 'r')} 1/2))"),
            "s.probe.outside": ("enumerate", f"(forall ((w int 0 4)) (<= {term('branching', 'w', 0)} 1))"),
            "s.probe.false": ("const", f"(< {term('branching', 2, 0)} 1/2)"),
            "s.probe.form": ("identity", f"(forall ((x 0 1)) (= (* x {term('branching', 1, 1)}) (* {term('branching', 1, 1)} x)))"),
            "s.probe.all-uses": ("const", f"(and (< lloyd.distortion.1 1) (< lloydmax.distortion.1 1) (= {term('branching', 0, 0)} 1/2))"),
            "s.probe.part": ("unsat", "(part (and (< 1 2) (probe-risk hypercube:2 oblivious 1 1 1/2) (forall ((n int 0 3)) (< n 4))))"),
            "s.probe.file": ("unsat", f"(and (probe-table {LINE} 1 1) (probe-table {LINE} 0 0))"),
            "s.probe.mixed": ("unsat", "(and (= 1 2) (probe-risk hypercube:2 oblivious 1 1 1/2))"),
            "s.probe.game": ("game", "(probe-game hypercube:2 oblivious 1 1 1/4 1/4)")}
    for name, text in undefined.items():
        rows["s.probe.undefined." + name] = ("const", f"(<= 0 {text})") if text else \
            ("cover", f"(forall ((x 0 1)) (<= 0 {term('branching', 'x', 0)}))")
    return rows


BAD_FORMULAS = {f"probe-{i}": text for i, text in enumerate((
    "(probe-risk hypercube:2 oblivious 1 1)", "(probe-risk hypercube:2 oblivious 1 1 1/2 1)", "(probe-risk hypercube:7 oblivious 1 1 1/2)",
    "(probe-risk hypercube:2 staged:0 1 1 1/2)", "(probe-risk hypercube:2 staged:100 1 1 1/2)", "(probe-risk hypercube:2 oblivious 17 1 1/2)",
    "(probe-risk hypercube:2 oblivious 1 17 1/2)", "(probe-risk hypercube:2 oblivious 01 1 1/2)", "(probe-risk hypercube:2 oblivious 1 1 2/4)",
    "(probe-risk hypercube:2 oblivious 1 1 -1/2)", "(probe-risk hypercube:2 oblivious 1 1 0.5)", "(probe-risk (hypercube:2) oblivious 1 1 1/2)",
    "(probe-risk hypercube:02 oblivious 1 1 1/2)", "(probe-risk hypercube: oblivious 1 1 1/2)", "(probe-risk hypercube oblivious 1 1 1/2)",
    "(probe-risk hypercube:2,2 oblivious 1 1 1/2)", "(probe-risk labels: oblivious 1 1 1/2)", "(probe-risk labels:01,0 oblivious 1 1 1/2)",
    "(probe-risk labels:0A oblivious 1 1 1/2)", "(probe-risk labels:01, oblivious 1 1 1/2)", "(probe-risk labels:" + "0" * 65 + " oblivious 1 1 1/2)",
    "(probe-risk labels:" + ",".join("0" * 4097) + " oblivious 1 1 1/2)", "(probe-risk hadamard:3 oblivious 1 1 1/2)",
    "(probe-risk sparse:3,4 oblivious 1 1 1/2)", "(probe-risk grid:3,5 oblivious 1 1 1/2)", "(probe-risk grid:2,1 oblivious 1 1 1/2)",
    "(probe-risk attention:6 oblivious 1 1 1/2)", "(probe-risk pointer:5 oblivious 1 1 1/2)", "(probe-risk pointer:0 oblivious 1 1 1/2)",
    "(probe-risk pointer:99999999999999999999999999 oblivious 1 1 1/2)", "(probe-risk sphere:2 oblivious 1 1 1/2)",
    "(probe-risk file:path oblivious 1 1 1/2)", "(probe-risk file:" + "A" * 64 + " oblivious 1 1 1/2)", "(probe-table hypercube:2 1)",
    "(probe-table hypercube:2 oblivious 1 1)", "(probe-table hypercube:2 -1 1)", "(probe-game hypercube:2 oblivious 1 1 1/4)",
    "(probe-game hypercube:2 oblivious 1 1 x 1/4)", "(forall ((n int 0 1)) (probe-table hypercube:2 1 1))",
    "(< (probe.hypercube:2.oblivious 1) 1)", "(< (probe.hypercube:2.oblivious 1 1 1) 1)", "(< (probe.hypercube:2.staged 1 1) 1)",
    "(< (probe.hypercube:7.oblivious 1 1) 1)", "(< (probe.oblivious 1 1) 1)", "(< probe.hypercube:2.oblivious 1)",
    "(forall ((x 0 (probe.hypercube:2.oblivious 1 1))) (< x 2))"))}


class Outside:
    """Certificates of claims that stand in no registry."""

    def __init__(self, c, seal):
        self.c, self.seal = c, seal

    def lines(self, kind, parameters, records, verdict="proved"):
        rule = {"risk": "unsat", "game": "game"}[kind]
        return ["kvproof-cert 1", f"claim probe.{kind}({';'.join(parameters)})", f"rule {rule}", "scope exact",
                f"statement (probe-{kind} {' '.join(parameters)})", f"verdict {verdict}", *records]

    def good(self, name, kind, parameters, records):
        lines = self.lines(kind, [str(v) for v in parameters], ["precision 128", *records])
        self.c.write("probe-" + name, self.seal(lines), f"s VERIFIED PROVED {lines[1][6:]}")
        return lines

    def bad(self, name, lines, edit, line, code):
        """A copy that is edited: edit(lines), or {number: text}. `line` may be a record's text."""
        lines = list(lines)
        if callable(edit):
            edit(lines)
        else:
            for number, text in edit.items():
                lines[number - 1] = text
        line = line if isinstance(line, int) else lines.index(line) + 1
        self.c.write("probe-" + name, self.seal(lines), f"s INVALID {lines[1][6:]} {line} {code}")

    def risk(self, label, name, access, w, r, unsat=False):
        family = FAMILIES[name]
        value, records = p.risk_lines(family, access, w, r, unsat)
        return self.good(f"risk-{label}-{access.replace(':', '')}-{w}-{r}", "risk", (name, access, w, r, value), [*family[2], *records])


def number_of(lines, start, which=0):
    """The number of a line that begins so."""
    return [k for k, line in enumerate(lines, 1) if line.startswith(start)][which]


def probe(c, seal):
    out = Outside(c, seal)
    tables(c)
    made = {}
    for label, name, budgets in (("cube", "hypercube:2", ((0, 2), (1, 1), (2, 1), (3, 1), (3, 2))),
                                 ("labels", "labels:100,010,001", ((1, 1), (2, 1), (2, 2))), ("four", "labels:1010,1100,0000", ((1, 2), (2, 1))),
                                 ("pointer", "pointer:1", ((0, 0), (1, 1))), ("plane", PLANE, ((0, 0), (1, 1), (2, 1))),
                                 ("line", LINE, ((0, 1), (1, 1), (2, 1)))):
        for (w, r), access in itertools.product(budgets, CLASSES):
            made[label, access, w, r] = out.risk(label, name, access, w, r, True)
    for access in ("oblivious", "branching"):
        made["clique", access] = out.risk("clique", "labels:10000,01000,00100,00010,00001", access, 2, 2)
    protocols(out, made["cube", "branching", 3, 2], made["cube", "branching", 2, 1], made["labels", "staged:1", 2, 1])
    lowers(out, made)
    refutations(out, made["labels", "branching", 2, 1])
    encodings(out)
    least(out, made["labels", "branching", 2, 1], made["cube", "oblivious", 0, 2])
    files(out, made["plane", "staged:1", 1, 1])
    names(out, made["cube", "oblivious", 1, 1])
    games(c, out)
    limits(out)


def tables(c):
    records = ["precision 128", *itertools.chain(*(p.table_lines(FAMILIES[f], w, r) for f, w, r in TABLES))]
    c.good("readkv.c.risks", "proved", records)
    for name in ("single", "all-uses", "form"):
        c.good("s.probe." + name, "proved", ["precision 128"])
    c.good("s.probe.order", "proved", ["precision 128", "cases 12"])
    c.fails("probe-term-outside", "s.probe.outside", "proved", ["precision 128", "cases 5"], 9, "not_decided")
    c.fails("probe-term-false", "s.probe.false", "proved", ["precision 128"], 6, "verdict_differs")
    c.good("s.probe.false", "refuted", ["precision 128", "at 1"])
    for name in ("deep", "negative", "half", "irrational", "class", "family"):
        c.fails("probe-term-" + name, "s.probe.undefined." + name, "proved", ["precision 128"], 8, "not_decided")
    c.fails("probe-term-quantified", "s.probe.undefined.quantified", "proved", ["precision 128", "leaf"], 9, "not_decided")
    c.bad("probe-use-none", "s.probe.single", lambda l: l.pop(6), 7, "bad_use")
    c.bad("probe-use-hash", "s.probe.single", lambda l: l.__setitem__(6, l[6][:-64] + "0" * 64), 7, "bad_use")
    c.bad("probe-use-order", "s.probe.all-uses", lambda l: l.__setitem__(slice(7, 9), [l[8], l[7]]), 8, "bad_use")
    c.bad("probe-use-not-needed", "s.chain", lambda l: l.insert(6, f"use readkv.c.risks {c.valid['readkv.c.risks'][1]}"), 7, "bad_use")
    first = number_of(c.valid["readkv.c.risks"][0], "risk 0 0 oblivious")
    for label, text in {"w": "risk 1 0 oblivious 1/2", "r": "risk 0 1 oblivious 1/2", "class": "risk 0 0 branching 1/2", "value": "risk 0 0 oblivious 2/4",
                        "negative": "risk 0 0 oblivious -1/2", "fields": "risk 0 0 oblivious", "word": "record 0x0"}.items():
        c.put("probe-table-" + label, "readkv.c.risks", first, text, "bad_record")
    c.put("probe-table-other-value", "readkv.c.risks", first, "risk 0 0 oblivious 1/3", "bad_witness", first + 5)
    end = len(c.valid["readkv.c.risks"][0])
    c.bad("probe-table-short", "readkv.c.risks", lambda l: l.pop(), end, "bad_record")
    c.bad("probe-table-long", "readkv.c.risks", lambda l: l.append("lower zero"), end + 1, "bad_record")
    oblivious = p.risk_lines(FAMILIES["hypercube:2"], "oblivious", 1, 1)[1]
    c.good("s.probe.part", "supported", ["precision 128", *oblivious, "cases 4"], "s SUPPORTED s.probe.part 4")
    line = FAMILIES[LINE]
    c.good("s.probe.file", "proved", ["precision 128", *p.table_lines(line, 1, 1), *p.table_lines(line, 0, 0)])
    c.fails("probe-mixed-proved", "s.probe.mixed", "proved", ["precision 128", *oblivious], 6, "verdict_differs")
    c.good("s.probe.mixed", "refuted", ["precision 128", "at 1"])
    c.put("probe-mixed-at", "s.probe.mixed", 8, "at 2", "bad_record")


def protocols(out, deep, shallow, other):
    """Records and trees."""
    record, tree = number_of(deep, "record"), number_of(deep, "tree")
    for label, text in {"decimal": "record 1", "large": "record 0x8", "sign": "record -0x1", "none": "record", "two": "record 0x0 0x0", "word": "tree 0 1 1",
                        "zeros": "record 0x00"}.items():
        out.bad("record-" + label, deep, {record: text}, record, "bad_record")
    for label, text in {"short": "tree 0 1", "long": "tree 0 1 1 2", "address": "tree 0 1 3", "negative": "tree 0 1 -1", "word": "tree x 1 1", "zero": "tree 00 1 1",
                        "below-a-stop": "tree - 0 -", "dash": "tree 0 -- 1"}.items():
        out.bad("tree-" + label, deep, {tree: text}, tree, "bad_record")
    last = number_of(deep, "tree", -1)
    out.bad("tree-reads-nothing", deep, {last: "tree - - -"}, last, "bad_witness")
    out.bad("record-missing", deep, lambda l: l.pop(record - 1), record + 3, "bad_record")
    out.bad("tree-missing", deep, lambda l: l.pop(tree - 1), tree + 3, "bad_record")
    last = number_of(shallow, "tree", -1)
    out.bad("worse-protocol", shallow, {number_of(shallow, "record", 1): shallow[number_of(shallow, "record") - 1]}, last, "bad_witness")
    last = number_of(other, "tree", -1)
    out.bad("too-good", [line.replace("1/4", "1/8") for line in other], {}, last, "bad_witness")
    # How trees are cut into batches; a batch holds no node that stops.
    for batches, addresses, ok in ((2, "0 1 2", True), (1, "0 1 2", False), (1, "0 1 1", True), (1, "0 - 1", False), (2, "0 - 1", True), (1, "0 - -", True),
                                   (2, "0 1 1 2 3 2 3", True), (1, "0 1 1 2 3 2 3", False), (2, "0 1 2 2 2 3 3", True), (2, "0 1 2 3 2 3 3", False),
                                   (1, "0 1 1 2 2 2 2", True), (3, "0 1 2 3 2 3 0", True), (2, "0 1 2 3 2 3 0", False), (2, "0 1 2 - - 3 3", True),
                                   (2, "0 1 2 3 - 3 3", False)):
        probes = {3: 2, 7: 3}[len(addresses.split(" "))]
        records = ["record 0x0", "record 0x1", f"tree {addresses}", "lower zero"]
        label, parameters = f"batches-{batches}-{addresses.replace(' ', '')}", ["labels:10", f"staged:{batches}", "4", str(probes), "0"]
        if ok:
            out.good(label, "risk", parameters, records)
        else:
            out.bad(label, out.lines("risk", parameters, ["precision 128", *records]), {}, 10, "bad_witness")


def lowers(out, made):
    unread, clique, full, proof = (made[k] for k in (("cube", "oblivious", 0, 2), ("clique", "oblivious"), ("clique", "branching"), ("labels", "branching", 2, 1)))
    zero = made["cube", "branching", 2, 1]
    at = number_of(zero, "lower")
    for label, text in {"word": "lower one", "none": "lower", "more": "lower zero 0", "case": "lower Zero", "unsat": "lower unsat", "clique": "lower clique",
                        "unread": "lower unread 1", "lines": "lower unsat 0", "sign": "lower unsat -1", "two": "lower unsat 1 1"}.items():
        out.bad("lower-" + label, zero, {at: text}, at, "bad_record")
    out.bad("lower-unread-deep", zero, {at: "lower unread"}, at, "bad_witness")
    out.bad("lower-unread-unsat", unread, {number_of(unread, "lower"): "lower unsat 1"}, number_of(unread, "lower"), "bad_witness")
    out.bad("lower-not-zero", unread, {number_of(unread, "lower"): "lower zero"}, number_of(unread, "lower"), "bad_witness")
    for label, lines in (("clique", clique), ("full", full)):
        at = number_of(lines, "lower")
        members = lines[at - 1].split(" ")[2:]
        for kind, change, code in (("fewer", members[:-1], "bad_witness"), ("order", members[::-1], "bad_record"), ("twice", [members[0], *members], "bad_record"),
                                   ("large", [*members, "5"], "bad_record"), ("word", [*members, "x"], "bad_record"), ("negative", ["-1", *members], "bad_record")):
            out.bad(f"{label}-{kind}", lines, {at: " ".join(["lower clique", *change])}, at, code)
    at = number_of(proof, "lower")
    out.bad("clique-none", proof, {at: "lower clique 0 1 2"}, at, "bad_witness")
    four = made["four", "oblivious", 1, 2]
    at = number_of(four, "lower")
    c = p.labels("1010", "1100", "0000")
    members = next(s for s in itertools.combinations(range(4), 3) if all(any(p.loss(c, y, t) for y in range(3)) for t in itertools.combinations(s, 2)))
    out.good("clique-three", "risk", ("labels:1010,1100,0000", "oblivious", 1, 2, "1/4"),
             [*four[7:at - 1], "lower clique " + " ".join(map(str, members))])
    # Sources 0 and 1 of the file lose 1/36, all of them 1/4.
    line = made["line", "oblivious", 0, 1]
    at = number_of(line, "lower")
    out.bad("clique-too-near", line, {at: "lower clique 0 1"}, at, "bad_witness")
    out.bad("clique-of-all", line, {at: "lower clique 0 1 2"}, at, "bad_witness")
    out.good("clique-of-two", "risk", (LINE, "oblivious", 0, 1, "1/4"), [*line[7:at - 1], "lower clique 0 2"])


def refutations(out, lines):
    at = number_of(lines, "lower")
    count, last = len(lines) - at, len(lines)
    variables, clauses = p.cnf(FAMILIES["labels:100,010,001"], "branching", 2, 1, p.Fraction(1, 4))
    first = lines[at].split(" ")
    zero = first.index("0")
    out.bad("rup-fewer", lines, {at: f"lower unsat {count - 1}"}, last - 1, "bad_witness")
    out.bad("rup-more", lines, {at: f"lower unsat {count + 1}"}, last + 1, "bad_record")
    out.bad("rup-many", lines, {at: f"lower unsat {'9' * 40}"}, last + 1, "bad_record")
    for label, text in {"no-zero": "rup 1 2 3", "no-hints": "rup 1 0", "none": "rup", "word": "ruq 0 1", "hint-zero": "rup 0 0 1", "hint-negative": "rup 0 -1",
                        "hint-next": f"rup 0 {len(clauses) + 1}", "variable": f"rup {variables + 1} 0 1", "twice": "rup 1 1 0 1", "both": "rup 1 -1 0 1",
                        "minus-zero": "rup -0 0 1", "field": "rup 1  0 1", "hint-large": f"rup 0 {'9' * 300}"}.items():
        out.bad("rup-" + label, lines, {at + 1: text}, at + 1, "bad_record")
    out.bad("rup-last-hint", lines, {at + 1: " ".join(first[:-1])}, at + 1, "bad_record" if first[-2] == "0" else "bad_witness")
    out.bad("rup-conflict-early", lines, {at + 1: " ".join([*first, first[-1]])}, at + 1, "bad_witness")
    out.bad("rup-hint-order", lines, {at + 1: " ".join(first[:zero + 1] + first[:zero:-1])}, at + 1, "bad_witness")
    out.bad("rup-open", lines, {at + 1: "rup 0 1"}, at + 1, "bad_witness")
    out.bad("rup-literal-missing", lines, {at + 1: " ".join(first[:1] + first[2:])}, at + 1, "bad_witness")
    out.bad("rup-empty-too-early", lines, {last: "rup 1 0 1"}, last, "bad_witness")
    # A hint whose literal is true already does no harm.
    twice = [*first[:zero + 1], first[zero + 1], *first[zero + 1:]]
    if len(first) - zero > 2:
        text = list(lines)
        text[at] = " ".join(twice)
        out.c.write("probe-rup-true-literal", out.seal(text), f"s VERIFIED PROVED {text[1][6:]}")


def encodings(out):
    """Every clause of an encoding, each derived from itself: all lines follow but the last, which is not empty. Then a
    literal less in one of them, which does not follow."""
    for name, access, w, r in (("labels:1010,1100,0000", "staged:2", 4, 3), ("labels:100,010,001", "staged:3", 5, 4), (LINE, "staged:1", 3, 2), ("hypercube:2", "branching", 3, 2),
                               ("hypercube:2", "query-independent", 3, 2), (PLANE, "branching", 2, 1), (PLANE, "oblivious", 2, 1), ("hypercube:2", "staged:1", 2, 2),
                               (NESTED, "oblivious", 1, 1), (NESTED, "branching", 2, 1)):
        family = FAMILIES[name]
        stop = " ".join(["tree", *["-"] * (2 ** min(w, r) - 1)])
        tree = [stop] * (len(family[0][0]) if p.classes(access)[0] else 1)
        # Where nothing is read, all sources lie in one leaf: its loss is the value of the claim.
        value = str(max(p.loss(family, y, range(len(family[0]))) for y in range(len(family[0][0]))))
        count, clauses = p.cnf(family, access, w, r, p.Fraction(value))
        records = [*family[2], *["record 0x0"] * len(family[0]), *tree, f"lower unsat {len(clauses)}"]
        lines = out.lines("risk", [name, access, str(w), str(r), value], ["precision 128", *records])
        first = len(lines) + 1
        lines += [" ".join(["rup", *map(str, clause), "0", str(number)]) for number, clause in enumerate(clauses, 1)]
        label = f"encoding-{name.split(':')[0]}{len(family[0])}-{access.replace(':', '')}-{w}-{r}"
        out.bad(label, lines, {}, len(lines), "bad_witness")
        pairs = [k for k, clause in enumerate(clauses) if len(clause) == 2 and max(clause) < 0]
        for k in sorted({*range(0, len(clauses), max(1, len(clauses) // 12)), *pairs[::max(1, len(pairs) // 12)]}):
            shorter = clauses[k][:k % len(clauses[k])] + clauses[k][k % len(clauses[k]) + 1:]
            out.bad(f"{label}-{k}", lines, {first + k: " ".join(["rup", *map(str, shorter), "0", str(k + 1)])}, first + k, "bad_witness")
        out.bad(f"{label}-variables", lines, {first: f"rup {count + 1} 0 1"}, first, "bad_record")
        out.bad(f"{label}-clauses", lines, {first: f"rup 0 {len(clauses) + 1}"}, first, "bad_record")


def least(out, plain, unread):
    """Least records: refutations that need their clauses or not, renamings that are none, that do not keep the lists, or that
    stand in another order, and every clause derived from itself and a shorter one."""
    for label, name, access, w, r in (("labels", "labels:100,010,001", "branching", 2, 1), ("cube", "hypercube:2", "oblivious", 1, 1), ("pointer", "pointer:1", "staged:1", 1, 1),
                                      ("plane", PLANE, "branching", 2, 1), ("five", "labels:10000,01000,00100,00010,00001", "branching", 2, 2)):
        family = FAMILIES[name]
        found = p.best(family, access, w, r)
        if not found[0]:
            continue
        for some in ("all", "none"):
            chosen = p.renamings(family, access, found[0])[:6 if some == "all" else 0]
            proof = p.refutation(*p.cnf(family, access, w, r, found[0], chosen))
            records = [*p.protocol_lines(found), f"lower least {len(chosen)} {len(proof)}", *renaming_lines(chosen), *proof]
            out.good(f"least-{label}-{some}", "risk", (name, access, w, r, found[0]), [*family[2], *records])
    at = number_of(plain, "lower")
    proof = p.refutation(*p.cnf(FAMILIES["labels:100,010,001"], "branching", 2, 1, p.Fraction(1, 4), [(0, 2, 1), (1, 0, 2)]))
    count = len(proof)
    lines = out.good("least-two", "risk", ("labels:100,010,001", "branching", 2, 1, "1/4"),
                     [*plain[7:at - 1], f"lower least 2 {count}", "renaming 0 2 1", "renaming 1 0 2", *proof])
    # Lines that count the clauses without least records: wrong from the first on that rests on an earlier one.
    known = len(p.cnf(FAMILIES["labels:100,010,001"], "branching", 2, 1, p.Fraction(1, 4))[1])
    rests = next(k for k, line in enumerate(plain[at:]) if any(int(h) > known for h in line.split(" 0 ")[1].split(" ")))
    out.bad("least-plain-numbers", lines, lambda l: l.__setitem__(slice(at + 2, None), plain[at:]), at + 3 + rests, "bad_witness")
    for label, text in {"negative": f"lower least -1 {count}", "no-lines": "lower least 2 0", "one": f"lower least {count}", "three": f"lower least 2 {count} 0",
                        "word": f"lower least x {count}"}.items():
        out.bad("least-" + label, lines, {at: text}, at, "bad_record")
    out.bad("least-fewer-renamings", lines, {at: f"lower least 1 {count}"}, at + 2, "bad_record")
    out.bad("least-more-renamings", lines, {at: f"lower least 3 {count}"}, at + 3, "bad_record")
    for label, text in {"twice": "renaming 0 1 1", "large": "renaming 0 3 1", "sign": "renaming 0 -2 1", "short": "renaming 0 1", "long": "renaming 0 1 2 3",
                        "none": "renaming", "other": "rename 0 2 1", "zero": "renaming 0 2 01"}.items():
        out.bad("least-renaming-" + label, lines, {at + 1: text}, at + 1, "bad_record")
    number = number_of(unread, "lower")
    out.bad("least-unread", unread, {number: "lower least 0 1"}, number, "bad_witness")
    # 0 and 1 conflict with 3 for the first query, 0 and 2 for the second: 1 and 2 may be exchanged, and the lists with them.
    for renaming, keeps in ((0, 2, 1, 3), True), ((1, 0, 2, 3), False), ((0, 1, 3, 2), False), ((3, 1, 2, 0), False), ((1, 2, 3, 0), False):
        name = "labels:0012,0102"
        assert keeps == (renaming in p.renamings(p.labels("0012", "0102"), "branching", 1))
        text = out.lines("risk", [name, "branching", "2", "1", "1"], ["precision 128", *["record 0x0"] * 4, *["tree -"] * 2, "lower least 1 1",
                                                                      *renaming_lines([renaming]), "rup 0 1"])
        out.bad(f"least-keeps-{'-'.join(map(str, renaming))}", text, {}, len(text) - (not keeps), "bad_witness")
    for name, access, w, r in (("labels:1010,1100,0000", "staged:2", 4, 3), ("hypercube:2", "branching", 3, 2), ("hypercube:2", "oblivious", 3, 2), (PLANE, "branching", 2, 1)):
        family = FAMILIES[name]
        sees, depth = p.classes(access)[0], min(w, r)
        trees = [" ".join(["tree", *["-"] * (2 ** depth - 1)])] * (len(family[0][0]) if sees else 1)
        value = max(p.loss(family, y, range(len(family[0]))) for y in range(len(family[0][0])))
        chosen = p.renamings(family, access, value)
        chosen = [*chosen[1:2], *chosen[-1:]]
        known = len(p.cnf(family, access, w, r, value)[1])
        count, clauses = p.cnf(family, access, w, r, value, chosen)
        new = [(number, clause) for number, clause in enumerate(clauses, 1) if number > known and len({abs(v) for v in clause}) == len(clause)]
        for order in (chosen, chosen[::-1]):
            head = [*family[2], *["record 0x0"] * len(family[0]), *trees, f"lower least {len(chosen)} {len(new)}", *renaming_lines(order)]
            text = out.lines("risk", [name, access, str(w), str(r), str(value)], ["precision 128", *head])
            first = len(text) + 1
            text += [" ".join(["rup", *map(str, clause), "0", str(number)]) for number, clause in new]
            label = f"least-{name.split(':')[0]}{len(family[0])}-{access.replace(':', '')}-{w}-{r}"
            if order != chosen:
                written = p.cnf(family, access, w, r, value, order)[1]
                wrong = [k for k, (number, clause) in enumerate(new) if not set(written[number - 1]) <= set(clause)]
                if wrong:
                    out.bad(label + "-order", text, {}, first + wrong[0], "bad_witness")
                continue
            out.bad(label, text, {}, len(text), "bad_witness")
            for k in range(0, len(new), max(1, len(new) // 16)):
                number, clause = new[k]
                shorter = clause[:k % len(clause)] + clause[k % len(clause) + 1:]
                out.bad(f"{label}-{k}", text, {first + k: " ".join(["rup", *map(str, shorter), "0", str(number)])}, first + k, "bad_witness")
            out.bad(label + "-variables", text, {first: f"rup {count + 1} 0 1"}, first, "bad_record")
            out.bad(label + "-clauses", text, {first: f"rup 0 {len(clauses) + 1}"}, first, "bad_record")


def renaming_lines(chosen):
    return [" ".join(["renaming", *map(str, renaming)]) for renaming in chosen]


def files(out, lines):
    head, row = 8, 9
    for label, text in {"sources": "family 65 2 2 3", "none": "family 0 2 2 3", "queries": "family 4 4097 2 3", "numbers": "family 4 2 9 3", "scale": "family 4 2 2 0",
                        "fraction": "family 4 2 2 3/2", "fields": "family 4 2 2", "word": "table 4 2 2 3"}.items():
        out.bad("file-" + label, lines, {head: text}, head, "bad_record")
    out.bad("file-other-scale", lines, {head: "family 4 2 2 4"}, head + 4, "bad_witness")
    for label, text in {"short": "targets 0 0 0", "long": "targets 0 0 0 0 0", "decimal": "targets 0.5 0 0 0", "lowest": "targets 2/4 0 0 0", "word": "target 0 0 0 0",
                        "denominator": f"targets 1/{2 ** 4096} 0 0 0"}.items():
        out.bad("file-targets-" + label, lines, {row: text}, row, "bad_record")
    out.bad("file-other-targets", lines, {row: "targets 1 0 0 0"}, row + 3, "bad_witness")
    out.bad("file-fine-targets", lines, {row: f"targets 1/{2 ** 4000} 0 0 0"}, row + 3, "bad_witness")
    out.bad("file-coprime-targets", lines, {row: f"targets 1/{2 ** 4090} 1/{3 ** 5} 0 0"}, row, "bad_record")
    out.bad("file-missing", lines, lambda l: l.__delitem__(slice(7, 12)), 8, "bad_record")


def names(out, lines):
    """Claims outside the registry: the header."""
    claim = lines[1][6:]
    out.bad("name-rule", lines, {3: "rule game"}, 3, "rule_differs")
    out.bad("name-scope", lines, {4: "scope file"}, 4, "scope_differs")
    out.bad("name-statement", lines, {5: lines[4].replace("1/2", "1/3")}, 5, "statement_differs")
    out.bad("name-supported", lines, {6: "verdict supported"}, 6, "verdict_differs")
    out.bad("name-refuted", lines, lambda l: l.__setitem__(slice(5, None), ["verdict refuted", "precision 128", "at 1"]), 8, "bad_record")
    out.c.write("probe-name-undecided", out.seal([*lines[:5], "verdict undecided", "code effort"]), f"s UNDECIDED {claim} effort")
    for label, text in {"family": "probe.risk(hypercube:9;oblivious;1;1;1/2)", "class": "probe.risk(hypercube:2;all;1;1;1/2)", "few": "probe.risk(hypercube:2;oblivious;1;1)",
                        "empty": "probe.risk(hypercube:2;;oblivious;1;1;1/2)", "last": "probe.risk(hypercube:2;oblivious;1;1;1/2;)", "nothing": "probe.risk()",
                        "first": "probe.risk(;hypercube:2;oblivious;1;1;1/2)", "open": "probe.risk(hypercube:2;oblivious;1;1;1/2", "kind": "probe.best(hypercube:2;oblivious;1;1;1/2)",
                        "table": "probe.table(hypercube:2;1;1)", "nested": "probe.risk((hypercube:2);oblivious;1;1;1/2)", "hash": f"probe.risk({'0' * 64})",
                        "decimal": "probe.risk(hypercube:2;oblivious;1;1;0.5)", "more": "probe.risk(hypercube:2;oblivious;1;1;1/2)x"}.items():
        out.bad("name-" + label, lines, {2: f"claim {text}"}, 2, "unknown_claim")
    out.c.write("probe-name-space", out.seal([lines[0], "claim probe.risk(hypercube:2 oblivious;1;1;1/2)", *lines[2:]]), "s INVALID - 2 unknown_claim")


def games(c, out):
    cube, uniform = FAMILIES["hypercube:2"], {(x, y): 1 for x in range(4) for y in range(4)}
    halves = [(1, (0, 0, 1, 1), [[0]]), (1, (0, 1, 0, 1), [[0]])]
    lower, upper, records = p.game_lines(cube, "oblivious", 1, 1, uniform, halves)
    c.good("s.probe.game", "proved", ["precision 128", *records])
    lines = out.good("game-cube", "game", ("hypercube:2", "oblivious", 1, 1, lower, upper), records)
    prior = {(0, 0): 3, (1, 0): 1, (1, 2): 2, (2, 1): 1, (3, 3): 5, (3, 0): 1}
    for label, name, weights, (w, r) in (("skew", "hypercube:2", prior, (1, 1)), ("deep", "hypercube:2", prior, (2, 1)), ("whole", "hypercube:2", uniform, (2, 2)),
                                         ("three", "hypercube:2", uniform, (3, 1)), ("two", "hypercube:2", {(0, 0): 1, (3, 0): 2, (1, 2): 1, (2, 2): 1}, (3, 2)),
                                         ("one", "labels:100,010,001", {(1, 0): 4}, (1, 1)), ("nothing", "labels:100,010,001", {(0, 0): 1, (1, 0): 1}, (0, 1)),
                                         ("five", "labels:10000,01000,00100,00010,00001", {(x, y): 1 + (x == y) + x for x in range(5) for y in range(5)}, (2, 2)),
                                         ("wide", "labels:10000,01000,00100,00010,00001", {(x, x): 10 ** 30 + x for x in range(5)} | {(0, 1): 7 ** 40}, (2, 1)),
                                         ("plane", PLANE, {(x, y): 1 + x * y for x in range(4) for y in range(2)}, (2, 1)),
                                         ("huge", PLANE, {(x, y): 7 ** (90 + x) + 3 ** (x * 41 + y) for x in range(4) for y in range(2)}, (1, 1))):
        for access in ("oblivious", "staged:1", "branching"):
            if label in ("five", "wide") and access == "staged:1":
                continue
            family = FAMILIES[name]
            found = p.best(family, access, w, r)
            low, high, records = p.game_lines(family, access, w, r, weights, [(2, *found[1:]), (3, *p.best(family, access, w, r, p.bayes(family, weights))[1:])])
            out.good(f"game-{label}-{access.replace(':', '')}", "game", (name, access, w, r, low, high), records)
    at, pair, end = number_of(lines, "prior"), number_of(lines, "pair"), len(lines)
    for label, number, text in (("prior-negative", at, "prior -1"), ("prior-word", at, "prior x"), ("pair-source", pair, "pair 4 0 1"), ("pair-query", pair, "pair 0 4 1"),
                                ("pair-weight", pair, "pair 0 0 0"), ("pair-negative", pair, "pair 0 0 -1"), ("pair-fraction", pair, "pair 0 0 1/2"),
                                ("pair-twice", pair + 1, "pair 0 0 1"), ("pair-order", pair + 4, "pair 0 2 1"), ("pair-fields", pair, "pair 0 0"),
                                ("mixture-zero", pair + 16, "mixture 0"), ("weight-zero", pair + 17, "weight 0"), ("weight-word", pair + 17, "weight -1"),
                                ("answers-short", end, "answers 0"), ("answers-long", end, "answers 0 0 0"), ("answers-decimal", end, "answers 0.5 0"),
                                ("answers-lowest", end, "answers 2/2 0")):
        out.bad("game-" + label, lines, {number: text}, number, "bad_record")
    out.bad("game-no-prior", lines, lambda l: l.__setitem__(slice(at - 1, pair + 15), ["prior 0"]), at, "bad_witness")
    without = [line.replace(";1/4;1/4)", ";0;1/4)").replace(" 1/4 1/4)", " 0 1/4)") for line in lines]
    without[at - 1:pair + 15] = ["prior 0"]
    out.c.write("probe-game-zero", out.seal(without), f"s VERIFIED PROVED {without[1][6:]}")
    out.bad("game-prior-unread", lines, {at: "prior 0"}, at, "bad_witness")
    out.bad("game-prior-fewer", lines, {at: "prior 15"}, pair + 14, "bad_witness")
    out.bad("game-prior-more", lines, {at: "prior 17"}, pair + 16, "bad_record")
    out.bad("game-other-prior", lines, {pair: "pair 0 0 2"}, pair + 15, "bad_witness")
    out.bad("game-other-answer", lines, {end: "answers 0 0"}, end, "bad_witness")
    out.bad("game-other-weight", lines, {pair + 17: "weight 2"}, end, "bad_witness")
    out.bad("game-mixture-fewer", lines, {pair + 16: "mixture 1"}, number_of(lines, "weight", 1) - 1, "bad_witness")
    out.bad("game-mixture-more", lines, {pair + 16: "mixture 3"}, end + 1, "bad_record")
    for label, old in (("lower", ";1/4;1/4)"), ("upper", ";1/4;1/4)")):
        new = {"lower": ("1/5", "1/4"), "upper": ("1/4", "1/3")}[label]
        text = [line.replace(old, f";{';'.join(new)})").replace(" 1/4 1/4)", f" {' '.join(new)})") for line in lines]
        out.bad("game-other-" + label, text, {}, pair + 15 if label == "lower" else end, "bad_witness")


def limits(out):
    """What would take too much work is refused at once."""
    def risk(label, name, access, w, r, value, line, code):
        sees, depth = p.classes(access)[0], min(w, r)
        queries = {"hypercube:6": 12, "hadamard:4": 8, "sparse:6,3": 160}[name]
        sources = {"hypercube:6": 64, "hadamard:4": 16, "sparse:6,3": 64}[name]
        trees = [" ".join(["tree", *["-"] * (2 ** depth - 1)])] * (queries if sees else 1)
        lines = out.lines("risk", [name, access, str(w), str(r), value], ["precision 128", *["record 0x0"] * sources, *trees, "lower unsat 1", line])
        out.bad("limit-" + label, lines, {}, len(lines) if code == "bad_witness" else len(lines) - 1, code)

    risk("shapes", "hypercube:6", "staged:5", 10, 9, "1/6", "rup 0 1", "too_large")
    risk("nodes", "hadamard:4", "staged:4", 16, 11, "1", "rup 0 1", "too_large")
    risk("deep", "hadamard:4", "branching", 16, 11, "1", "rup 0 1", "bad_witness")
    risk("many", "sparse:6,3", "branching", 2, 1, "1/2", "rup 0 1", "bad_witness")
    # Six lists of 1024 conflicts: 170 renamings of them are allowed.
    same = " ".join(map(str, range(64)))
    for label, count, at, code in (("renamings", 171, 1, "too_large"), ("renamings-most", 170, 0, "bad_witness")):
        lines = out.lines("risk", ["hypercube:6", "branching", "2", "1", "1/6"],
                          ["precision 128", *["record 0x0"] * 64, *["tree -"] * 12, f"lower least {count} 1", *[f"renaming {same}"] * count, "rup 0 1"])
        out.bad("limit-" + label, lines, {}, len(lines) - at, code)
    name, family = p.from_table([[(str(x), "0", "0", "0", "0", "0", "0", "1")] for x in range(17)], 1)
    records = [*family[2], *["record 0x0"] * 17, "tree -", "lower unsat 1", "rup 0 1"]
    lines = out.lines("risk", [name, "oblivious", "1", "1", "8"], ["precision 128", *records])
    out.bad("limit-sets", lines, {}, len(lines) - 1, "too_large")

    def game(label, name, access, w, r, pairs):
        lines = out.lines("game", [name, access, str(w), str(r), "0", "0"], ["precision 128", f"prior {len(pairs)}", *(f"pair {x} {y} 1" for x, y in pairs)])
        out.bad("limit-" + label, lines, {}, len(lines), "too_large")

    game("prior", "hypercube:6", "oblivious", 1, 1, [(x, 0) for x in range(17)])
    game("prior-queries", "sparse:6,3", "oblivious", 1, 1, [(x, y) for x in range(16) for y in range(65)])
    game("cuts", "hypercube:3", "branching", 5, 1, [(x, y) for x in range(8) for y in range(6)])
    game("cuts-wide", "hypercube:6", "branching", 16, 15, [(x, y) for x in range(16) for y in range(2)])
    # One query, or everything read: partitions, whatever the class.
    for label, w, r, pairs in (("one-query", 16, 2, [(x, 0) for x in range(16)]), ("whole", 3, 16, [(x, y) for x in range(6) for y in range(4)])):
        weights = dict.fromkeys(pairs, 1)
        family, depth = p.hypercube(6), min(w, r)
        cost, parts = p.bayes(family, weights), {}
        named = sorted({x for x, _ in pairs})
        queries = sorted({y for _, y in pairs})
        for s in range(1, 1 << len(named)) if len(named) < 8 else ():
            parts[s] = sum(cost(y, [x for k, x in enumerate(named) if s >> k & 1]) for y in queries)
        low = p.Fraction(0) if 2 ** depth >= 2 and len(queries) == 1 else least_partition(parts, (1 << len(named)) - 1, 2 ** depth) / len(pairs)
        lines = out.lines("game", ["hypercube:6", "branching", str(w), str(r), str(low), "0"],
                          ["precision 128", f"prior {len(pairs)}", *(f"pair {x} {y} 1" for x, y in pairs), "mixture 0"])
        out.bad("limit-" + label, lines, {}, len(lines), "bad_record")


def least_partition(losses, everyone, most):
    """The least sum over partitions into so many sets, by choosing the set of the lowest element."""
    if not everyone:
        return 0
    if most == 1:
        return losses[everyone]
    low = everyone & -everyone
    return min(losses[s] + least_partition(losses, everyone & ~s, most - 1) for s in losses if s & low and s & ~everyone == 0)
