"""The part of the corpus about users' tables: the certificate of a table, and instances of rows for it."""
from fractions import Fraction

import mpmath

import corpus_proofs

HEADER = ["kvproof-cert 1", "claim codebook", "rule codebook", "scope file", "statement (codebook)", "verdict proved"]
RECORDS = ["precision 128", "depth 2", "centroid 0 0 0", "split 1 0 0", "centroid 1 0 -3/4", "centroid 1 1 3/4",
           "split 2 0 -1", "split 2 1 1", "centroid 2 0 -3/2", "centroid 2 1 -1/2", "centroid 2 2 1/2", "centroid 2 3 3/2"]
FIRST = len(HEADER) + 1                        # the number of the first record's line


def gain_1():
    """D(0) - D(1) = 1 - E (|Z| - 3/4)^2."""
    return mpmath.mpf(3) / 2 * mpmath.sqrt(2 / mpmath.pi) - mpmath.mpf(9) / 16


def claims():
    with mpmath.workprec(24):
        rounded = +gain_1()
    single = Fraction(int(mpmath.ldexp(rounded, 40)), 2 ** 40)
    return {
        "s.table": ("const", "(and (= float32.epsilon.0 1) (= float32.epsilon.1 3/4) (= float32.epsilon.2 1/2) (= float32.value.2.1 3/2)"
                             " (= float32.value.2.-1 -1/2) (= float32.boundary.2.2 1) (= float32.centroid.1.1 3/4)"
                             f" (= codebook.distortion.0 1) (< 0.634326841 codebook.gain.1 0.634326842) (= float32.gain.1 {single}))"),
        "s.table.both": ("const", "(< codebook.distortion.2 lloyd.distortion.1)"),
        "s.table.deep": ("const", "(< codebook.gain.3 1)"),
        "s.table.false": ("const", "(= float32.value.2.1 1/2)"),
    }


def codebook(c, seal):
    good = HEADER + RECORDS

    def table(name, lines, line, code):
        c.write(name, seal(lines), f"s INVALID codebook {line} {code}")

    def put(name, number, text, code, line=None):
        """Record `number` (from 1) replaced."""
        lines = list(good)
        lines[len(HEADER) + number - 1] = text
        table("codebook-" + name, lines, line or len(HEADER) + number, code)

    c.write("codebook", seal(good), "s VERIFIED PROVED codebook")
    for name, text in {"0": "depth 0", "13": "depth 13", "word": "depth x", "none": "depth", "sign": "depth -2", "zero": "depth 02"}.items():
        put("depth-" + name, 2, text, "bad_record")
    put("depth-less", 2, "depth 1", "bad_record", FIRST + 6)
    put("depth-more", 2, "depth 3", "bad_record", FIRST + 12)
    for name, text in {"t": "centroid 1 0 0", "i": "centroid 0 1 0", "word": "split 0 0 0", "decimal": "centroid 0 0 0.5", "field": "centroid 0 0",
                       "more": "centroid 0 0 0 0", "tenth": "centroid 0 0 1/10", "lowest-terms": "centroid 0 0 2/4", "huge": f"centroid 0 0 {2 ** 128}",
                       "tiny": f"centroid 0 0 1/{2 ** 150}", "long": f"centroid 0 0 {2 ** 24 + 1}"}.items():
        put("centroid-" + name, 3, text, "bad_record")
    put("split-twice", 5, "split 1 0 0", "bad_record")
    put("split-outside", 7, "split 2 0 1/2", "bad_split")
    put("split-on-the-parent", 7, "split 2 0 0", "bad_split")
    put("split-below-the-parent", 8, "split 2 1 -1/4", "bad_split")
    put("centroid-below", 6, "centroid 1 1 -1/4", "bad_split")
    put("centroid-above", 9, "centroid 2 0 -3/4", "bad_split")
    table("codebook-extra", good + ["centroid 2 4 2"], FIRST + 12, "bad_record")
    table("codebook-short", good[:-1], FIRST + 11, "bad_record")
    for number, text, code in ((3, "rule const", "rule_differs"), (4, "scope exact", "scope_differs"), (5, "statement (< 1 2)", "statement_differs"),
                               (6, "verdict supported", "verdict_differs")):
        table("codebook-" + code, good[:number - 1] + [text] + good[number:], number, code)
    table("codebook-use", HEADER + ["use codebook " + "0" * 64] + RECORDS, 7, "bad_use")
    table("codebook-refuted", HEADER[:-1] + ["verdict refuted", "precision 128", "at 1"], 8, "bad_record")
    digest = seal(good).split(b"\n")[-2][4:].decode()
    instances(c, seal, digest)
    corpus_proofs.instances(c, seal, digest)


def instances(c, seal, digest):
    def lines(claim, verdict, uses, records, table=digest):
        rule, scope, formula = c.claims[claim]
        return ["kvproof-cert 1", f"claim {claim}({table})", f"rule {rule}", f"scope {scope}", f"statement {formula}",
                f"verdict {verdict}", *uses, *records]

    use, tree = f"use codebook {digest}", f"use readkv.lloyd.tree {c.valid['readkv.lloyd.tree'][1]}"
    name = f"s.table({digest})"
    precision = ["precision 256"]
    c.write("s.table", seal(lines("s.table", "proved", [use], precision)), f"s VERIFIED PROVED {name}")
    c.write("s.table.both", seal(lines("s.table.both", "proved", [tree, use], precision)), f"s VERIFIED PROVED s.table.both({digest})")
    c.write("s.table.false", seal(lines("s.table.false", "refuted", [use], precision + ["at 1"])), f"s VERIFIED REFUTED s.table.false({digest})")
    c.write("s.table.undecided", seal(lines("s.table", "undecided", [use], ["code missing_input"])), f"s UNDECIDED {name} missing_input")

    def fails(label, line, code, claim="s.table", uses=(use,), records=tuple(precision), table=digest):
        text = lines(claim, "proved", uses, records, table)
        c.write("instance-" + label, seal(text), f"s INVALID {text[1][6:]} {line} {code}")

    other = "0" * 64
    fails("false", 6, "verdict_differs", "s.table.false")
    fails("deep", 8, "not_decided", "s.table.deep")
    fails("no-use", 7, "bad_use", uses=())
    fails("tree-instead", 7, "bad_use", uses=(tree,))
    fails("order", 7, "bad_use", "s.table.both", (use, tree))
    fails("no-tree", 7, "bad_use", "s.table.both")
    fails("other-table", 7, "bad_use", table=other)
    fails("other-hash", 7, "bad_use", uses=(f"use codebook {other}",))
    fails("both-other", 7, "bad_use", uses=(f"use codebook {other}",), table=other)
    fails("short-hash", 2, "unknown_claim", table="00")
    fails("upper-hash", 2, "unknown_claim", table=digest.upper() if digest.upper() != digest else "A" * 64)
    fails("no-hash", 2, "unknown_claim", table="")
    fails("not-of-a-table", 2, "unknown_claim", "s.both")
    text = lines("s.table", "proved", [use], precision)
    c.write("instance-unknown", seal([text[0], f"claim s.none({digest})", *text[2:]]), f"s INVALID s.none({digest}) 2 unknown_claim")
    c.write("instance-open", seal([text[0], f"claim s.table({digest}", *text[2:]]), f"s INVALID s.table({digest} 2 unknown_claim")
    c.write("instance-of-codebook", seal([text[0], f"claim codebook({digest})", *text[2:]]), f"s INVALID codebook({digest}) 2 unknown_claim")
