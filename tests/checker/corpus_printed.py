"""The part of the corpus about printed numbers: all, none or some of the values that were rounded to them."""

BAD_FORMULAS = {"printed-inside": "(and (printed ((x 1)) (< x 2)))", "printed-fraction": "(printed ((x 1/2)) (< x 2))",
                "printed-hex": "(printed ((x 0x1)) (< x 2))", "printed-range": "(printed ((x 0 1)) (< x 2))",
                "printed-none": "(printed () (< 1 2))", "printed-forall": "(printed ((x 1)) (forall ((y 0 1)) (< x 2)))",
                "printed-part": "(printed ((x 1)) (part (< x 2)))", "printed-twice": "(printed ((x 1) (x 2)) (< x 2))",
                "printed-printed": "(printed ((x 1)) (printed ((y 1)) (< x y)))", "printed-dot": "(printed ((x 1.)) (< x 2))",
                "printed-list": "(printed ((x (1))) (< x 2))"}


def all_values(c):
    c.good("s.printed.sum", "proved", ["precision 128", "leaf"])
    c.good("s.printed.twice", "proved", ["precision 128", "split x 1", "leaf", "leaf"], name="printed-split")
    c.fails("printed-unsplit", "s.printed.twice", "proved", ["precision 128", "leaf"], "leaf", "not_decided")
    c.good("s.printed.twice", "proved", ["precision 128", "split x 1", "leaf", "leaf"])
    c.put("printed-at-end", "s.printed.twice", 8, "split x 21/20", "bad_record")
    c.put("printed-name", "s.printed.twice", 8, "split y 1", "bad_record")
    c.put("printed-leaf-number", "s.printed.twice", 9, "leaf 1", "bad_record")
    c.fails("printed-missing", "s.printed.twice", "proved", ["precision 128", "split x 1", "leaf"], 10, "bad_record")
    # 0.105 is no value of what was printed 0.11, and 0.115 is
    c.good("s.printed.end", "proved", ["precision 128", "leaf"])
    c.fails("printed-end-off", "s.printed.end.off", "proved", ["precision 128", "leaf"], "leaf", "not_decided")


def no_value(c):
    c.good("s.printed.none", "refuted", ["precision 128", "leaf 2"])
    c.put("printed-leaf-1", "s.printed.none", 8, "leaf 1", "not_decided")
    for bad in ("leaf 0", "leaf 3", "leaf -1", "leaf", "leaf 2 2", "leaf x"):
        c.put(f"printed-{bad.replace(' ', '_')}", "s.printed.none", 8, bad, "bad_record")
    # neither relation fails everywhere, but one of them does at each value
    c.good("s.printed.neither", "refuted", ["precision 128", "split x 1", "leaf 1", "leaf 2"])
    c.fails("printed-neither-swapped", "s.printed.neither", "refuted", ["precision 128", "split x 1", "leaf 2", "leaf 1"], 9, "not_decided")
    c.fails("printed-refuted-by-point", "s.printed.none", "refuted", ["precision 128", "at 2", "value x 1"], 8, "bad_record")
    c.fails("printed-refuted-true", "s.printed.sum", "refuted", ["precision 128", "leaf 1"], "leaf 1", "not_decided")


def some_values(c):
    edge = ["precision 128", "holds", "value x 1", "value y 2", "at 1", "value x 21/20", "value y 41/20"]
    c.good("s.printed.edge", "supported", edge, answer="s SUPPORTED s.printed.edge 0")
    for number, line, code in ((9, "value x 43/40", "bad_record"), (9, "value x 1.0", "bad_record"), (9, "value y 1", "bad_record"),
                               (8, "holds 1", "bad_record"), (11, "at 2", "bad_record"), (11, "at 0", "bad_record"),
                               (12, "value x 2", "bad_record")):
        c.put(f"printed-{number}-{line.replace(' ', '_').replace('/', '_')}", "s.printed.edge", number, line, code)
    c.fails("printed-holds-false", "s.printed.edge", "supported", [*edge[:2], *edge[5:], *edge[4:]], 7, "not_decided")
    c.fails("printed-fails-true", "s.printed.edge", "supported", [*edge[:5], *edge[2:4]], 7, "not_decided")
    c.fails("printed-edge-proved", "s.printed.edge", "proved", ["precision 128", "leaf"], "leaf", "not_decided")
    c.fails("printed-edge-refuted", "s.printed.edge", "refuted", ["precision 128", "leaf 1"], "leaf 1", "not_decided")
    c.fails("printed-edge-short", "s.printed.edge", "supported", edge[:4], 11, "bad_record")
    c.fails("printed-proved-supported", "s.printed.sum", "supported", ["precision 128", "leaf"], 8, "bad_record")


def add(c):
    all_values(c)
    no_value(c)
    some_values(c)
