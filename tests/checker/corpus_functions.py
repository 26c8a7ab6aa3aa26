"""The part of the corpus about functions of rationals: their values, and arguments outside their domains."""

VALUES = {
    "s.values": "(and (= (greedy 2 2 0 1 100 1 1 1 1 1) 2) (= (best 2 2 0 1 100 1 1 1 1 1) 100) (= (largest 2 1/3 -5 1/2 1/4) 5/6)"
                " (= (waterfill 2 3 4 1) 1/2) (= (waterfill 3 3 65 1 0) 129/64) (= (waterfill 5 2 0) 0 (greedy 3 9 -1 1 9 1 9 1))"
                " (< 1.8898815748 (waterfill 2 1 1 1 1) 1.8898815749))",
    "s.form": "(forall ((x 1 2)) (= (* x (waterfill 2 1 1 1 1)) (* (waterfill 2 1 1 1 1) x)))",
}
UNDEFINED = {
    "depth-zero": "(<= 0 (greedy 0 1 1 1))",
    "depth-large": "(<= 0 (waterfill 65 1 1))",
    "depth-half": "(<= 0 (best 3/2 1 1 1))",
    "budget-negative": "(<= 0 (waterfill 2 -1 1))",
    "budget-half": "(<= 0 (largest 1/2 1))",
    "budget-large": "(<= 0 (greedy 1 1000001 1 1))",
    "half-an-item": "(<= 0 (best 2 1 1 1))",
    "no-cost": "(<= 0 (greedy 1 1 1 1 1))",
    "cost-zero": "(<= 0 (greedy 1 1 1 0))",
    "cost-large": "(<= 0 (best 1 1 1 1001))",
    "cost-half": "(<= 0 (best 1 1 1 3/2))",
    "weight-negative": "(<= 0 (waterfill 1 1 -1))",
    "irrational": "(<= 0 (largest 1 pi))",
    "irrational-value": "(<= 0 (largest 1 (waterfill 2 1 1 1 1)))",
    "too-many-depths": "(<= 0 (best 9 3 " + "1 1 " * 63 + "))",
}
BAD_FORMULAS = {"function-alone": "(< 0 (largest 1))", "function-name": "(< greedy 2)"}
ITEMS = "a 1 b 2 1/3 1 b 1"
ALLOCATION = (f"(forall ((B int 0 4) (a int -1 3) (b int 0 2)) (<= (greedy 2 B {ITEMS}) (best 2 B {ITEMS})"
              " (largest B a b 1/3 b)))")
WATERFILL = "(forall ((B int 0 6) (a int 0 5) (b int 0 5)) (<= 0 (waterfill 3 B a b 1/2) (+ a b 1/2)))"
FALSE = "(= (best 2 2 0 1 100 1 1 1 1 1) 2)"


def claims():
    """Rows for the small registry: rule and formula by id."""
    rows = {name: ("identity" if name == "s.form" else "const", text) for name, text in VALUES.items()}
    rows.update({f"s.undefined.{name}": ("const", text) for name, text in UNDEFINED.items()})
    rows["s.false"] = ("const", FALSE)
    rows["s.allocation"] = ("enumerate", ALLOCATION)
    rows["s.waterfill"] = ("enumerate", WATERFILL)
    return rows


def functions(c):
    for name in VALUES:
        c.good(name, "proved", ["precision 256"])
    c.good("s.allocation", "proved", ["precision 128", "cases 75"])
    c.good("s.waterfill", "proved", ["precision 128", "cases 252"])
    for name in UNDEFINED:
        c.fails("function-" + name, "s.undefined." + name, "proved", ["precision 256"], 7, "not_decided")
        c.fails("function-refuted-" + name, "s.undefined." + name, "refuted", ["precision 256", "at 1"], 7, "not_decided")
    c.fails("function-false", "s.false", "proved", ["precision 256"], 6, "verdict_differs")
    c.good("s.false", "refuted", ["precision 256", "at 1"])
    c.put("function-cases", "s.waterfill", 8, "cases 251", "bad_count")
