"""The part of the corpus about rows with a Coq proof: a part of a statement is decided, the rest is the proof's to say."""
import os

HASH, OTHER = "ab" * 32, "cd" * 32
ALL = "proofs/coq/Small.v:all"
PROOFS = {"s.proof": ALL, "s.proof.whole": ALL, "s.proof.false": ALL, "s.proof.unlisted": "proofs/coq/Small.v:none", "s.proof.table": ALL}
RECORDS = ["precision 128", "cases 5"]
ANSWER = f"s EXTERNAL s.proof coq {ALL} {HASH}"


def claims():
    return {
        "s.proof": ("enumerate", "(part (forall ((n int 0 4)) (>= n 0)))"),
        "s.proof.whole": ("const", "(< 1 2)"),
        "s.proof.false": ("enumerate", "(part (forall ((n int 0 4)) (< n 4)))"),
        "s.proof.unlisted": ("enumerate", "(part (forall ((n int 0 4)) (>= n 0)))"),
        "s.proof.table": ("codebook", "(part (< float32.epsilon.0 2))"),
    }


def checked(root, folder):
    """coq/checked.tsv beside the registry: two theorems of one file, and one that another hash was checked of."""
    os.makedirs(os.path.join(root, folder, "coq"))
    with open(os.path.join(root, folder, "coq", "checked.tsv"), "w", encoding="utf-8") as file:
        file.write(f"file\ttheorem\tsha256\taxioms\nSmall.v\tall\t{HASH}\tclassic\nSmall.v\tsome\t{HASH}\t\nOther.v\tall\t{OTHER}\t\n")


def proofs(c, seal):
    last = f"coq {ALL} {HASH}"
    c.good("s.proof", "proved", [*RECORDS, last], ANSWER)
    c.write("proof-supported", seal(c.lines("s.proof", "supported", RECORDS)), "s SUPPORTED s.proof 5")
    c.write("proof-undecided", seal(c.lines("s.proof", "undecided", ["code case_budget"])), "s UNDECIDED s.proof case_budget")
    c.good("s.proof.whole", "proved", ["precision 128"])
    c.fails("proof-whole-record", "s.proof.whole", "proved", ["precision 128", last], 8, "bad_record")
    c.fails("proof-whole-supported", "s.proof.whole", "supported", ["precision 128"], 6, "verdict_differs")
    # the proof does not excuse from the part
    c.fails("proof-of-the-false", "s.proof.false", "proved", [*RECORDS, last], 6, "verdict_differs")
    c.good("s.proof.false", "refuted", ["precision 128", "at 1", "value n 4"])
    c.fails("proof-refuted-record", "s.proof.false", "refuted", ["precision 128", "at 1", "value n 4", last], 10, "bad_record")
    c.fails("proof-unlisted", "s.proof.unlisted", "proved", [*RECORDS, f"coq {PROOFS['s.proof.unlisted']} {HASH}"], 9, "bad_proof")
    for label, text, code in (("other-theorem", f"coq proofs/coq/Small.v:some {HASH}", "bad_proof"), ("other-hash", f"coq {ALL} {OTHER}", "bad_proof"),
                              ("other-file", f"coq proofs/coq/Other.v:all {OTHER}", "bad_proof"), ("upper", f"coq {ALL} {HASH.upper()}", "bad_proof"),
                              ("no-folder", f"coq Small.v:all {HASH}", "bad_proof"), ("no-hash", f"coq {ALL}", "bad_record"),
                              ("no-theorem", f"coq {HASH}", "bad_record"), ("more", last + " classic", "bad_record"),
                              ("word", "Coq" + last[3:], "bad_record"), ("empty", "coq  " + HASH, "bad_proof")):
        c.put("proof-" + label, "s.proof", 9, text, code)
    c.bad("proof-missing", "s.proof", lambda l: l.pop(), 9, "bad_record")
    c.bad("proof-twice", "s.proof", lambda l: l.append(last), 10, "bad_record")
    c.bad("proof-first", "s.proof", lambda l: l.__setitem__(slice(7, 9), [last, "cases 5"]), 8, "bad_record")
    c.bad("proof-alone", "s.proof", lambda l: l.pop(7), 8, "bad_record")
    c.put("proof-count", "s.proof", 8, "cases 4", "bad_count")
    c.put("proof-supported-record", "s.proof", 6, "verdict supported", "bad_record", 9)
    c.fails("proof-none-there", "s.part.none", "proved", ["precision 128", last], 6, "verdict_differs")


def instances(c, seal, digest):
    """About a user's table no proof speaks."""
    rule, scope, formula = c.claims["s.proof.table"]
    for verdict, records, answer in (("proved", ["precision 128", f"coq {ALL} {HASH}"], "INVALID s.proof.table({}) 6 verdict_differs"),
                                     ("supported", ["precision 128"], "SUPPORTED s.proof.table({}) 0")):
        lines = ["kvproof-cert 1", f"claim s.proof.table({digest})", f"rule {rule}", f"scope {scope}", f"statement {formula}",
                 f"verdict {verdict}", f"use codebook {digest}", *records]
        c.write("proof-table-" + verdict, seal(lines), "s " + answer.format(digest))
