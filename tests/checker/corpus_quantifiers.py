"""The part of the corpus about quantifiers: covers, identities and cases."""
from fractions import Fraction


def covers(c):
    quarter = ["split x 1/2", "split x 1/4", "leaf", "leaf", "split x 3/4", "leaf", "leaf"]
    c.good("s.cover", "proved", ["precision 128", *quarter])
    c.good("s.cover.two", "proved", ["precision 128", "split y 1/2", "leaf", "leaf", "leaf"])
    c.good("s.cover.nested", "proved", ["precision 128", "leaf", "split y 1/3", "split x 1/2", "leaf", "leaf", "leaf"])
    c.good("s.cover.power", "proved", ["precision 128"] + ["leaf"] * 5)
    deep = [f"split x {Fraction(1, 2 ** k)}" for k in range(1, 3001)] + ["leaf"] * 3001
    c.good("s.cover.long", "proved", ["precision 128", *deep], name="cover-deep")
    c.good("s.cover.long", "proved", ["precision 128", "leaf"])
    many = [f"split x {Fraction(k, 100003)}" for k in range(65537, 0, -1)]
    c.fails("cover-65537", "s.cover.long", "proved", ["precision 128", *many] + ["leaf"] * 65538, 7 + 65537, "bad_record")
    c.good("s.cover.long", "proved", ["precision 128", *many[1:]] + ["leaf"] * 65537, name="cover-65536")
    c.good("s.cover.long", "proved", ["precision 128", "leaf"])
    for at in ("0", "1", "2", "-1/2", "2/4", "1/1", "0.5", "1/0", "1/-2", "-0", "01/2", "0x1", "1/02", "", "1/2 ", "x",
               "1/2/3", "1" * 2001 + "/" + "3" * 2001, "1/" + "9" * 1999):
        c.put(f"cover-at-{at[:8].replace('/', '_over_').strip()}-{len(at)}", "s.cover", 8, f"split x {at}", "bad_record")
    c.put("cover-name", "s.cover", 8, "split y 1/2", "bad_record")
    c.put("cover-no-at", "s.cover", 8, "split x", "bad_record")
    c.put("cover-twice", "s.cover", 9, "split x 1/2", "bad_record")
    c.put("cover-leaf-field", "s.cover", 10, "leaf x", "bad_record")
    c.put("cover-first-open", "s.cover", 8, "leaf", "not_decided")
    c.bad("cover-leaf-open", "s.cover", lambda l: (l.pop(12), l.pop(12), l.__setitem__(11, "leaf")), 12, "not_decided")
    c.bad("cover-leaf-missing", "s.cover", lambda l: l.pop(), 14, "bad_record")
    c.bad("cover-leaf-extra", "s.cover", lambda l: l.append("leaf"), 15, "bad_record")
    c.bad("cover-none", "s.cover", lambda l: l.__delitem__(slice(7, None)), 8, "bad_record")
    c.bad("cover-identity-has-none", "s.cover.two", lambda l: l.append("leaf"), 12, "bad_record")
    c.bad("cover-inner-name", "s.cover.nested", lambda l: l.__setitem__(7, "split y 1/2"), 8, "bad_record")
    c.fails("cover-domain", "s.cover.domain", "proved", ["precision 128", "leaf"], 8, "not_decided")
    c.fails("cover-refuted-true", "s.cover", "refuted", ["precision 128", "at 1", "value x 1/2"], 7, "not_decided")
    c.good("s.identity", "proved", ["precision 128"])
    c.bad("identity-leaf", "s.identity", lambda l: l.append("leaf"), 8, "bad_record")
    c.fails("identity-domain", "s.identity.domain", "proved", ["precision 128"], 7, "not_decided")
    c.fails("identity-false", "s.identity.false", "proved", ["precision 128"], 7, "not_decided")
    c.good("s.identity.false", "refuted", ["precision 128", "at 1", "value x 1/2"])
    for text in ("value x 2", "value y 1/2", "value x", "value x 1/2 1", "value x 2/4", "value x 3/1", "value x -1/2", "value x 0.5"):
        c.put("value-" + text[6:].replace("/", "_").replace(" ", "-"), "s.identity.false", 9, text, "bad_record")
    c.put("value-at-a-zero", "s.identity.false", 9, "value x 1", "not_decided", 7)
    c.bad("value-missing", "s.identity.false", lambda l: l.pop(), 9, "bad_record")


def cases(c):
    c.good("s.cases", "proved", ["precision 128", "cases 12"])
    c.good("s.cases.nested", "proved", ["precision 128", "cases 8"])
    c.good("s.part", "supported", ["precision 128", "cases 2", "leaf", "cases 5"], "s SUPPORTED s.part 7")
    c.good("s.part.none", "supported", ["precision 128"], "s SUPPORTED s.part.none 0")
    c.good("s.mixed", "proved", ["precision 128", "leaf", "cases 2"])
    c.fails("cases-false", "s.cases.false", "proved", ["precision 128", "cases 4"], 6, "verdict_differs")
    c.fails("cases-open", "s.cases.open", "proved", ["precision 128", "cases 2"], 8, "not_decided")
    c.good("s.cases.false", "refuted", ["precision 128", "at 1", "value n 3"])
    c.put("cases-value-half", "s.cases.false", 9, "value n 5/2", "bad_record")
    c.put("cases-value-range", "s.cases.false", 9, "value n 4", "bad_record")
    c.put("cases-value-true", "s.cases.false", 9, "value n 2", "not_decided", 7)
    for n in ("11", "13", "0", "1" + "0" * 1000):
        c.put(f"cases-count-{n[:5]}-{len(n)}", "s.cases", 8, f"cases {n}", "bad_count")
    for n in ("-12", "012", "12/1", "0xc", "", "12 12", "12" + "0" * 2000):
        c.put(f"cases-malformed-{n[:5].replace('/', '_')}-{len(n)}", "s.cases", 8, f"cases {n}", "bad_record")
    c.bad("cases-missing", "s.cases", lambda l: l.pop(), 8, "bad_record")
    c.bad("cases-twice", "s.cases", lambda l: l.append("cases 12"), 9, "bad_record")
    c.bad("cases-swapped", "s.part", lambda l: l.__setitem__(slice(7, 10), ["cases 5", "leaf", "cases 2"]), 8, "bad_count")
    c.bad("mixed-order", "s.mixed", lambda l: l.__setitem__(slice(7, 9), ["cases 2", "leaf"]), 8, "bad_record")
