"""Writes handmade certificates, good and bad, and the answer that each deserves.

usage: make_corpus.py FOLDER

FOLDER/expected.tsv has a row for each file: registry (- for the program's own), file, expected answer. `real/` speaks of
claims of proofs/claims.tsv; `small/` of small_claims.tsv, with smaller trees and corners of the grammar. A bad file is made
from a good one by a named edit; its closing hash is recomputed unless the edit is about the hash or the end.
"""
import hashlib
import os
import sys

import mpmath

import corpus_codebook
import corpus_functions
import corpus_printed
import corpus_probe
import corpus_proofs
import corpus_quantifiers
import corpus_quantities
import lloyd_points

HERE = os.path.dirname(os.path.abspath(__file__))
REGISTRY = os.path.join(HERE, "..", "..", "proofs", "claims.tsv")
SMALL = os.path.join(HERE, "small_claims.tsv")
SCALE = 160
COLUMNS = "id paper place scope statement rule formula recorded effort note proof".split()


def seal(lines):
    body = "".join(line + "\n" for line in lines).encode("latin-1")
    return body + b"end " + hashlib.sha256(body).hexdigest().encode() + b"\n"


class Corpus:
    """One folder and its registry. `good` writes a certificate under its claim's name, `bad` an edited copy."""

    def __init__(self, root, folder, registry, claims, rows):
        self.root, self.folder, self.registry, self.claims, self.rows = root, folder, registry, claims, rows
        os.makedirs(os.path.join(root, folder), exist_ok=True)
        self.valid = {}

    def write(self, name, data, answer):
        path = os.path.join(self.folder, name + ".cert")
        with open(os.path.join(self.root, path), "wb") as file:
            file.write(data)
        if answer:
            self.rows.append((self.registry, path, answer))

    def lines(self, claim, verdict, records):
        rule, scope, formula = self.claims[claim]
        uses = [f"use {u} {self.valid[u][1]}" for u in self.needed(formula)]
        return ["kvproof-cert 1", f"claim {claim}", f"rule {rule}", f"scope {scope}", f"statement {formula}",
                f"verdict {verdict}", *uses, *records]

    @staticmethod
    def needed(formula):
        words = formula.replace("(", " ").replace(")", " ").split()
        tree = any(w.startswith(("lloyd.", "float32.", "codebook.")) or w == "lloyd-symmetric" for w in words)
        return ["readkv.lloyd.tree"] * tree + ["readkv.lloyd.optimal"] * any(w.startswith("lloydmax.") for w in words) + \
            ["readkv.c.risks"] * any(w.startswith("probe.") for w in words)

    def good(self, claim, verdict, records, answer=None, name=None):
        lines = self.lines(claim, verdict, records)
        data = seal(lines)
        self.valid[claim] = lines, data.split(b"\n")[-2][4:].decode()
        words = {"proved": "VERIFIED PROVED", "refuted": "VERIFIED REFUTED"}
        self.write(name or claim, data, answer or f"s {words[verdict]} {claim}")

    def fails(self, name, claim, verdict, records, line, code):
        """A certificate whose claim does not deserve it; `line` may be a record's text."""
        lines = self.lines(claim, verdict, records)
        number = line if isinstance(line, int) else lines.index(line) + 1
        self.write(name, seal(lines), f"s INVALID {claim} {number} {code}")

    def bad(self, name, claim, edit, line, code, shown=None):
        """The valid certificate of the claim with its lines edited: edit(lines) changes them in place."""
        lines = list(self.valid[claim][0])
        edit(lines)
        number = line if isinstance(line, int) else lines.index(line) + 1
        self.write(name, seal(lines), f"s INVALID {shown or claim} {number} {code}")

    def put(self, name, claim, number, text, code, line=None):
        """The valid certificate with line `number` replaced."""
        self.bad(name, claim, lambda l: l.__setitem__(number - 1, text), line or number, code)

    def raw(self, name, data, answer):
        self.write(name, data, answer)


def scaled(x):
    return ("-" if x < 0 else "") + hex(abs(x))


def nearest(x):
    return int(mpmath.nint(mpmath.ldexp(x, SCALE)))


def tree_records(rows):
    records = ["precision 256", f"scale {SCALE}", "split 1 0 0x0 0x0"]
    for t, row in enumerate(rows[1:], 2):
        for i, m in enumerate(row):
            records.append(f"split {t} {i} {scaled(nearest(m) - 4 * t)} {scaled(nearest(m) + 4 * t)}")
    return records


def optimal_records(depth):
    records = ["precision 256", f"scale {SCALE}", "level 1 0x0"]
    for t in range(2, depth + 1):
        records.append(f"level {t} {scaled(1 << 22)}")
        records += [f"point {i} {scaled(nearest(b))}" for i, b in enumerate(lloyd_points.optimal(t), 1)]
    return records


def frame(c):
    """Edits of what every certificate has."""
    name = "s.chain"
    lines, _ = c.valid[name]
    data = seal(lines)
    count = len(lines) + 1
    c.raw("frame-empty", b"", "s INVALID - 1 not_a_certificate")
    c.raw("frame-newline", b"\n", "s INVALID - 1 not_a_certificate")
    c.raw("frame-version", data.replace(b"cert 1", b"cert 2", 1), f"s INVALID {name} 1 not_a_certificate")
    c.raw("frame-crlf", data.replace(b"\n", b"\r\n"), "s INVALID - 1 not_a_certificate")
    c.raw("frame-first-line-only", b"kvproof-cert 1\n", "s INVALID - 1 truncated")
    c.raw("frame-first-line-unended", b"kvproof-cert 1", "s INVALID - 1 truncated")
    c.raw("frame-claim-unended", b"kvproof-cert 1\nclaim s.ch", "s INVALID - 2 truncated")
    c.raw("frame-no-last-newline", data[:-1], f"s INVALID {name} {count} truncated")
    c.raw("frame-no-end", "".join(f"{line}\n" for line in lines).encode(), f"s INVALID {name} {count - 1} truncated")
    c.raw("frame-empty-last-line", data + b"\n", f"s INVALID {name} {count + 1} truncated")
    c.raw("frame-short-hash", data[:-2] + b"\n", f"s INVALID {name} {count} truncated")
    c.raw("frame-upper-hash", data[:-65] + data[-65:].upper(), f"s INVALID {name} {count} truncated")
    c.raw("frame-end-spaces", data.replace(b"\nend ", b"\nend  "), f"s INVALID {name} {count} truncated")
    c.raw("frame-hash", data[:-2] + (b"0" if data[-2:-1] != b"0" else b"1") + b"\n", f"s INVALID {name} {count} bad_hash")
    c.raw("frame-body-changed", data.replace(b"precision 128", b"precision 256"), f"s INVALID {name} {count} bad_hash")
    c.raw("frame-only-end", seal(["kvproof-cert 1"]), "s INVALID - 2 bad_record")
    c.put("frame-no-claim", name, 2, "klaim s.chain", "bad_record")
    c.rows[-1] = (c.rows[-1][0], c.rows[-1][1], "s INVALID - 2 bad_record")
    for number, word in enumerate(("rule", "scope", "statement", "verdict"), 3):
        c.put(f"frame-no-{word}", name, number, word + "_ x", "bad_record")
        c.put(f"frame-bare-{word}", name, number, word, "bad_record")
    c.put("frame-tab", name, 7, "precision\t128", "bad_record")
    c.put("frame-high-byte", name, 7, "precision 128\xe9", "bad_record")
    c.put("frame-nul", name, 4, "scope exact\0", "bad_record")
    c.bad("frame-late-byte", name, lambda l: (l.__setitem__(2, "rule x"), l.append("\x7f")), count, "bad_record")
    c.bad("frame-unknown", name, lambda l: l.__setitem__(1, "claim s.none"), 2, "unknown_claim", "s.none")
    c.bad("frame-claim-space", name, lambda l: l.__setitem__(1, "claim s.chain "), 2, "unknown_claim", "-")
    c.bad("frame-claim-empty", name, lambda l: l.__setitem__(1, "claim "), 2, "unknown_claim", "-")
    c.put("frame-rule", name, 3, "rule cover", "rule_differs")
    c.put("frame-scope", name, 4, "scope float32", "scope_differs")
    c.put("frame-statement", name, 5, "statement (< 1 (sqrt 2) 3/2 3)", "statement_differs")
    c.put("frame-statement-space", name, 5, lines[4] + " ", "statement_differs")
    c.put("frame-verdict", name, 6, "verdict true", "bad_record")
    c.put("frame-verdict-space", name, 6, "verdict proved ", "bad_record")
    c.put("frame-supported", name, 6, "verdict supported", "verdict_differs")
    c.put("frame-proved-part", "s.part.none", 6, "verdict proved", "verdict_differs")
    c.put("frame-proved-pending", "s.pending", 6, "verdict proved", "verdict_differs")
    c.put("frame-refuted-pending", "s.pending", 6, "verdict refuted", "verdict_differs")
    for claim in ("s.sampled", "s.sampled.part"):      # a sample has no certificate, whatever it says
        for verdict, lines in (("proved", ["precision 128"]), ("supported", ["precision 128"]), ("refuted", ["precision 128", "at 1"]),
                               ("undecided", ["code effort"])):
            c.fails(f"frame-{verdict}-{claim}", claim, verdict, lines, 6, "verdict_differs")
    c.rows.append((c.registry, os.path.join(c.folder, "there-is-none.cert"), "s INVALID - 0 unreadable"))
    c.rows.append((c.registry, c.folder, "s INVALID - 0 unreadable"))
    with open(os.path.join(c.root, c.folder, "frame-large.cert"), "wb") as file:
        file.write(data)
        file.truncate((64 << 20) + 1)          # sparse
    c.rows.append((c.registry, os.path.join(c.folder, "frame-large.cert"), "s INVALID - 0 unreadable"))


def records(c):
    """Edits of precision, code and the end of the records."""
    name = "s.chain"
    end = len(c.valid[name][0]) + 1
    for index, text in enumerate(("precision 100", "precision 0128", "precision 8192", "precision", "precision 128 ", "precision  128",
                 "precision 128 1", "Precision 128", "precision +128", "precision 128.0", "", " ", "leaf", "precision " + "1" * 3000,
                 "precision " + "1" * 100000)):
        c.put(f"records-precision-{index}", name, 7, text, "bad_record")
    c.bad("records-no-precision", name, lambda l: l.pop(), end - 1, "bad_record")
    c.bad("records-extra", name, lambda l: l.append("leaf"), end, "bad_record")
    c.bad("records-empty-line", name, lambda l: l.append(""), end, "bad_record")
    c.bad("records-second-end", name, lambda l: l.append("end " + "0" * 64), end, "bad_record")
    c.bad("records-thousands", name, lambda l: l.extend(["split x 1/2"] * 100000), end, "bad_record")
    c.put("records-why", "s.pending", 7, "code because", "bad_record")
    c.put("records-why-precision", "s.pending", 7, "precision 128", "bad_record")
    c.bad("records-why-none", "s.pending", lambda l: l.pop(), 7, "bad_record")
    c.bad("records-why-more", "s.pending", lambda l: l.append("code effort"), 8, "bad_record")


def constants(c):
    c.good("s.chain", "proved", ["precision 128"])
    for name in ("s.numbers", "s.integers", "s.functions", "s.forms"):
        c.good(name, "proved", ["precision 128"])
    c.good("s.narrow", "proved", ["precision 1024"])
    c.fails("const-narrow-open", "s.narrow", "proved", ["precision 128"], 7, "not_decided")
    c.fails("const-forms-unequal", "s.forms.unequal", "proved", ["precision 256"], 7, "not_decided")
    c.fails("const-domain", "s.domain", "proved", ["precision 256"], 7, "not_decided")
    c.fails("const-zero", "s.zero", "proved", ["precision 256"], 7, "not_decided")
    c.fails("const-zero-refuted", "s.zero", "refuted", ["precision 256", "at 1"], 7, "not_decided")
    c.fails("const-false", "s.and", "proved", ["precision 128"], 6, "verdict_differs")
    c.fails("const-chain-false-link", "s.chain.mixed", "proved", ["precision 128"], 6, "verdict_differs")
    c.good("s.chain.mixed", "refuted", ["precision 128", "at 1"])
    c.good("s.and", "refuted", ["precision 128", "at 2"])
    for text in ("at 0", "at 4", "at -1", "at 02", "at", "at 2 2", "value x 1", "at " + "9" * 2001):
        c.put(f"refuted-{text[:8].replace(' ', '_')}-{len(text)}", "s.and", 8, text, "bad_record")
    c.put("refuted-true", "s.and", 8, "at 1", "not_decided", 7)
    c.bad("refuted-value-too-many", "s.and", lambda l: l.append("value x 1"), 9, "bad_record")
    c.good("s.pending", "undecided", ["code missing_part"], "s UNDECIDED s.pending missing_part")
    for why in "precision_cap case_budget node_budget missing_part missing_input not_shown effort".split():
        c.write("undecided-" + why, seal(c.lines("s.forms.unequal", "undecided", [f"code {why}"])),
                f"s UNDECIDED s.forms.unequal {why}")


def tree(c, rows, depth):
    name = "readkv.lloyd.tree"
    c.good(name, "proved", tree_records(rows[:depth]))
    lines = c.valid[name][0]
    first = lines.index("split 1 0 0x0 0x0") + 1
    last = len(lines)
    t, i, low, high = lines[-1].split(" ")[1:]
    a, b = int(low, 16), int(high, 16)
    for label, text, code in (
            ("index", f"split {t} {int(i) - 1} {low} {high}", "bad_record"), ("depth", f"split {int(t) - 1} {i} {low} {high}", "bad_record"),
            ("fields", f"split {t} {i} {low}", "bad_record"), ("decimal", f"split {t} {i} {a} {b}", "bad_record"),
            ("upper", f"split {t} {i} 0x{a:X}ABC {high}", "bad_record"), ("zeros", f"split {t} {i} 0x0{a:x} {high}", "bad_record"),
            ("long", f"split {t} {i} {low} 0x{'1' * 1999}", "bad_record"), ("minus-zero", f"split {t} {i} -0x0 {high}", "bad_record"),
            ("huge", f"split {t} {i} {low} 0x{'1' * 1990}", "bad_split"), ("negative-huge", f"split {t} {i} -0x{'1' * 1990} {high}", "bad_split"),
            ("equal", f"split {t} {i} {low} {low}", "bad_split"), ("swapped", f"split {t} {i} {high} {low}", "bad_split"),
            ("low-above", f"split {t} {i} {scaled(b - 1)} {high}", "bad_split"), ("high-below", f"split {t} {i} {low} {scaled(a + 1)}", "bad_split"),
            ("sign", f"split {t} {i} -{high} -{low}", "bad_split"),
            ("wide", f"split {t} {i} {scaled(a - (1 << 110))} {scaled(b + (1 << 110))}", "not_decided")):
        c.put(f"tree-{label}", name, last, text, code, 7 if code == "not_decided" else None)
    c.put("tree-middle", name, first, "split 1 0 -0x1 0x1", "bad_split")
    c.put("tree-middle-one", name, first, "split 1 0 0x0 0x1", "bad_split")
    c.put("tree-no-middle", name, first, lines[first], "bad_record")
    for s in ("2049", "-1", "0160", "0xa0", "160 160", ""):
        c.put(f"tree-scale-{s.replace(' ', '_')}", name, first - 1, f"scale {s}", "bad_record")
    c.put("tree-scale-other", name, first - 1, "scale 161", "bad_split", first + 1)
    c.bad("tree-no-scale", name, lambda l: l.pop(first - 2), first - 1, "bad_record")
    c.bad("tree-split-missing", name, lambda l: l.pop(), last, "bad_record")
    c.bad("tree-split-extra", name, lambda l: l.append(l[-1]), last + 1, "bad_record")
    c.bad("tree-lines-swapped", name, lambda l: l.__setitem__(slice(-2, None), [l[-1], l[-2]]), last - 1, "bad_record")
    c.put("tree-refuted", name, 6, "verdict refuted", "bad_record", 8)


def optimal(c, depth):
    name = "readkv.lloyd.optimal"
    c.good(name, "proved", optimal_records(depth))
    lines = c.valid[name][0]
    at = next(k for k, line in enumerate(lines, 1) if line.startswith("level 3"))
    one, two = lines[at].split(" ")[2], lines[at + 1].split(" ")[2]
    for label, text, code in (("small", "level 3 0x1", "bad_split"), ("zero", "level 3 0x0", "bad_split"),
                              ("negative", "level 3 -0x400000", "bad_split"), ("large", f"level 3 {scaled(1 << SCALE)}", "bad_split"),
                              ("huge", "level 3 0x" + "f" * 1900, "bad_split"), ("number", "level 4 0x400000", "bad_record"),
                              ("decimal", "level 3 4194304", "bad_record"), ("fields", "level 3", "bad_record"),
                              ("no-digits", f"level 3 {scaled(1 << 90)}", "not_decided")):
        c.put(f"optimal-radius-{label}", name, at, text, code, 7 if code == "not_decided" else None)
    for label, text, code in (("moved", f"point 1 {scaled(int(one, 16) + (1 << 30))}", "bad_split"), ("same", f"point 1 {two}", "bad_split"),
                              ("negative", f"point 1 -{one}", "bad_split"), ("zero", "point 1 0x0", "bad_split"),
                              ("index", f"point 2 {one}", "bad_record"), ("long", "point 1 0x" + "f" * 1999, "bad_record"),
                              ("huge", "point 1 0x" + "f" * 1900, "bad_split"), ("level", "level 4 0x0", "bad_record")):
        c.put(f"optimal-point-{label}", name, at + 1, text, code, at if code == "bad_split" else None)
    c.put("optimal-level-one", name, 9, "level 1 0x1", "bad_split")
    c.bad("optimal-point-missing", name, lambda l: l.pop(at), at + 1, "bad_record")
    c.bad("optimal-last-missing", name, lambda l: l.pop(), len(lines), "bad_record")
    c.bad("optimal-extra", name, lambda l: l.append("level 4 0x1"), len(lines) + 1, "bad_record")


def uses(c):
    """Certificates that use the tree and the optimum, and every way to use them wrongly."""
    c.good("s.both", "proved", ["precision 128"])
    c.good("s.zeros", "proved", ["precision 128"])
    c.good("s.symmetric", "proved", ["precision 128"])
    c.fails("use-symmetric-deep", "s.symmetric.deep", "proved", ["precision 128"], 8, "not_decided")
    c.fails("use-range", "s.range", "proved", ["precision 128"], 8, "not_decided")
    c.fails("use-range-index", "s.range.index", "proved", ["precision 128"], 8, "not_decided")
    c.write("use-undecided", seal(c.lines("s.both", "undecided", ["code effort"])), "s UNDECIDED s.both effort")
    both = c.valid["s.both"][0]
    c.bad("use-none", "s.both", lambda l: l.__delitem__(slice(6, 8)), 7, "bad_use")
    c.bad("use-one", "s.both", lambda l: l.pop(7), 8, "bad_use")
    c.bad("use-first-missing", "s.both", lambda l: l.pop(6), 7, "bad_use")
    c.bad("use-order", "s.both", lambda l: l.__setitem__(slice(6, 8), [both[7], both[6]]), 7, "bad_use")
    c.bad("use-twice", "s.both", lambda l: l.insert(8, both[7]), 9, "bad_use")
    c.bad("use-not-needed", "s.chain", lambda l: l.insert(6, both[6]), 7, "bad_use")
    c.bad("use-hash", "s.both", lambda l: l.__setitem__(7, both[7][:-1] + ("0" if both[7][-1] != "0" else "1")), 8, "bad_use")
    c.bad("use-no-hash", "s.both", lambda l: l.__setitem__(6, "use readkv.lloyd.tree"), 7, "bad_use")
    c.bad("use-field", "s.both", lambda l: l.__setitem__(6, both[6] + " x"), 7, "bad_use")
    c.bad("use-upper", "s.both", lambda l: l.__setitem__(6, both[6][:22] + both[6][22:].upper()), 7, "bad_use")
    c.bad("use-other", "s.both", lambda l: l.__setitem__(6, both[6].replace(".tree", ".depth")), 7, "bad_use")
    c.bad("use-undecided-hash", "s.both", lambda l: l.__setitem__(slice(5, 7), ["verdict undecided", both[6][:-64] + "0" * 64]), 7, "bad_use")

    def beside(folder, data, line, code, claim="s.symmetric"):
        """A claim that uses the given tree certificate (or none), in a folder of its own."""
        other = Corpus(c.root, folder, c.registry, c.claims, c.rows)
        digest = data.split(b"\n")[-2][4:].decode() if data else "0" * 64
        other.valid["readkv.lloyd.tree"] = None, digest
        if data:
            other.write("readkv.lloyd.tree", data, None)
        other.fails(claim, claim, "proved", ["precision 128"], line, code)

    lines = c.valid["readkv.lloyd.tree"][0]
    beside("use-missing", None, 7, "bad_use")
    wrong = seal(lines)
    beside("use-bad-hash", wrong[:-2] + (b"0" if wrong[-2:-1] != b"0" else b"1") + b"\n", 7, "bad_use")
    beside("use-undecided", seal(lines[:5] + ["verdict undecided", "code effort"]), 7, "bad_use")
    beside("use-other-claim", seal(c.valid["s.chain"][0]), 7, "bad_use")
    beside("use-false-tree", seal(lines[:-1] + [lines[-1].replace("split 3 3 0x", "split 3 3 -0x")]), 7, "bad_use")
    low = lines[-1].split(" ")
    low[3] = scaled(int(low[3], 16) - 1)
    beside("use-not-symmetric", seal(lines[:-1] + [" ".join(low)]), 8, "not_decided")


def real(root, rows):
    """Good certificates of claims of the program's registry, at least one for each rule."""
    with open(REGISTRY, encoding="utf-8") as file:
        table = [dict(zip(COLUMNS, line.rstrip("\n").split("\t"))) for line in file]
    claims = {r["id"]: (r["rule"], r["scope"], r["formula"]) for r in table[1:]}
    c = Corpus(root, "real", "-", claims, rows)
    splits = lloyd_points.tree(8)
    c.good("readkv.lloyd.tree", "proved", tree_records(splits))
    c.good("readkv.lloyd.optimal", "proved", optimal_records(8))
    plain = ["precision 256"]
    for name in ("lloyd.symmetry", "lloyd.nested_penalty", "lloyd.panter_dite", "table.distortion", "lemma7.gain.1.float32",
                 "lemma7.gain.3.codebook", "lemma7.epsilon8.float32", "lemma7.q2.float32", "lemma7.epsilon8.exact", "eq4.algebra",
                 "thm1.coefficient", "thm1.ratio155507", "thm1.schedule_needs_cap", "thm1.k_range", "thm1.bayes", "thm1.slack",
                 "thm1.upper", "thm1.upper.float32", "thm1.region", "thm2.logistic", "thm2.gain_order.exact",
                 "thm2.gain_order.float32", "thm2.matrix", "thm2.run", "obstruction.reader", "lemma11.softmax",
                 "prop12.gram", "thm3.grouped", "code.prefix", "e3.tight"):
        c.good("readkv." + name, "proved", plain)
    for name in ("lemma7.gain.1.exact", "lemma7.gain.2.codebook", "lemma7.q2.exact"):
        c.good("readkv." + name, "refuted", plain + ["at 1"])
    c.good("readkv.thm1.domain", "proved", ["precision 128", "leaf"])
    c.good("readkv.obstruction.rival", "proved", ["precision 128"] + ["leaf"] * 4)
    c.good("readkv.thm2.lower.printed", "proved", ["precision 128", "split u 1/2", "leaf", "leaf"])
    c.good("readkv.thm2.lower", "proved", ["precision 128", "leaf"])
    c.good("readkv.eq4.quantisers", "supported", ["precision 128", "cases 256", "cases 256", "cases 16", "cases 81"],
           "s SUPPORTED readkv.eq4.quantisers 609")
    c.good("readkv.eq4.quantisers.fine", "undecided", ["code effort"], "s UNDECIDED readkv.eq4.quantisers.fine effort")
    c.put("real-at", "readkv.lemma7.q2.exact", 9, "at 2", "not_decided", 8)
    c.put("real-proved", "readkv.lemma7.gain.1.exact", 6, "verdict proved", "verdict_differs")
    c.bad("real-false", "readkv.lemma7.gain.1.exact", lambda l: (l.pop(), l.__setitem__(5, "verdict proved")), 6, "verdict_differs")
    c.rows[-2] = (*c.rows[-2][:2], "s INVALID readkv.lemma7.gain.1.exact 6 verdict_differs")


def small(root, rows):
    with open(SMALL, encoding="utf-8") as file:
        table = [line.rstrip("\n").split("\t") for line in file]
    for more in (corpus_functions, corpus_codebook, corpus_probe, corpus_proofs):
        table += [(name, *row) for name, row in more.claims().items()]
    claims = {name: (rule, "exact", formula) for name, rule, formula in table[1:]}
    registry = os.path.join("small", "claims.tsv")
    c = Corpus(root, "small", registry, claims, rows)
    splits = lloyd_points.tree(3)
    constants(c)
    corpus_quantifiers.covers(c)
    corpus_quantifiers.cases(c)
    corpus_functions.functions(c)
    corpus_printed.add(c)
    frame(c)
    records(c)
    tree(c, splits, 3)
    optimal(c, 3)
    uses(c)
    corpus_codebook.codebook(c, seal)
    corpus_probe.probe(c, seal)
    corpus_proofs.proofs(c, seal)
    corpus_proofs.checked(root, "small")
    corpus_quantities.quantities(c, splits, 3)
    with open(os.path.join(root, registry), "w", encoding="utf-8") as file:
        file.write("\t".join(COLUMNS) + "\n")
        for name, (rule, scope, formula) in claims.items():
            file.write("\t".join([name, "-", "-", scope, "-", rule, formula, "-", "default", "", corpus_proofs.PROOFS.get(name, "")]) + "\n")


def main(folder):
    rows = []
    small(folder, rows)
    real(folder, rows)
    with open(os.path.join(folder, "expected.tsv"), "w", encoding="utf-8") as file:
        file.writelines("\t".join(row) + "\n" for row in rows)
    return rows


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
