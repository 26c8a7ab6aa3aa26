"""Writes docs/coq.md: each machine-checked theorem beside the claims that it proves, and what it rests on.

usage: coq_page.py check|write ROOT

From proofs/claims.tsv, proofs/coq/*.v (all but the proofs themselves) and proofs/coq/checked.tsv. `check` compares the page with
what would be written: exit status 1 and the difference where it has gone stale.
"""
import csv
import difflib
import os
import re
import sys

# What a reader needs of a file: everything but lemmas and proofs.
KEPT = re.compile(r"(Definition|Fixpoint|Inductive|Record|Notation|Section|End|Variables?|Hypothesis|Let|Arguments|Theorem) ")
PIECE = re.compile(r"\(\*(?P<comment>.*?)\*\)|(?P<sentence>[^\s(].*?\.|\((?!\*).*?\.)(?=\s|$)", re.S)
HEADING = """# The machine-checked proofs

Made by `tests/docs/coq_page.py` from `proofs/claims.tsv` and `proofs/coq`: what each Coq theorem states, the claims whose column
`proof` names it, and the axioms that it rests on, as Coq's `Print Assumptions` says. `./run proofs` checks them all; see
[proofs/coq](../proofs/coq/README.md). The axioms are those of Coq's real numbers: `sig_forall_dec` and `sig_not_dec` (the Cauchy
reals need them), `functional_extensionality_dep`, and `classic` (excluded middle). Proofs and lemmas are left out here, statements
and definitions are as in the file; `each i < n, P` says that P holds for i = 0, ..., n-1, and `\\sum_(i < n) f i` is a sum.
"""


def table(path):
    with open(path, encoding="utf-8", newline="\n") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def pieces(text):
    """The header comment, and the kept sentences with the comments that stand right above them."""
    header, kept, above = None, [], None
    for found in PIECE.finditer(text):
        comment, sentence = found["comment"], found["sentence"]
        if comment is not None:
            above = found[0]
            header = header or re.sub(r"\n    ", "\n", comment.strip("* \n"))
        elif KEPT.match(sentence):
            name = sentence.split()[1] if sentence.startswith("Theorem ") else None
            kept.append((name, above if above and header and comment_body(above) != comment_body(header) else None, sentence))
            above = None
        else:
            above = None
    return header, kept


def comment_body(text):
    return re.sub(r"\s+", " ", text.strip("(*) \n"))


def page(root):
    claims = {}
    for row in table(os.path.join(root, "proofs", "claims.tsv")):
        if row["proof"]:
            claims.setdefault(row["proof"], []).append(row)
    axioms = {(row["file"], row["theorem"]): row["axioms"] for row in table(os.path.join(root, "proofs", "coq", "checked.tsv"))}
    out = HEADING
    with_theorems = {file for file, _ in axioms}
    files = sorted(name for name in os.listdir(os.path.join(root, "proofs", "coq")) if name.endswith(".v"))
    for file in sorted(files, key=lambda name: name in with_theorems):     # what is shared first
        with open(os.path.join(root, "proofs", "coq", file), encoding="utf-8") as source:
            header, kept = pieces(source.read())
        out += f"\n## {file}\n\n```\n{header}\n```\n"
        lines = []

        def flush():
            nonlocal out
            if any(not line.startswith("End ") for line in lines):
                out += "\n```coq\n" + "\n".join(lines) + "\n```\n"
            lines.clear()

        for name, above, sentence in kept:
            if name is None:
                lines += ([above] if above else []) + [sentence]
                continue
            flush()
            for row in claims.pop(f"proofs/coq/{file}:{name}", []):
                out += f"\n**{row['id']}** ({row['paper']}, {row['place']}; recorded: {row['recorded']})  \n{row['statement']}.\n"
            out += f"\n```coq\n{above + chr(10) if above else ''}{sentence}\n```\n"
            rests = axioms.get((file, name))
            out += "not checked\n" if rests is None else f"Rests on: {', '.join(rests.split()) or 'nothing'}.\n"
        flush()
    if claims:
        sys.exit(f"coq_page.py: no theorem {', '.join(claims)}")
    return out


def main(mode, root):
    path = os.path.join(root, "docs", "coq.md")
    made = page(root)
    if mode == "write":
        with open(path, "w", encoding="utf-8") as file:
            file.write(made)
        return 0
    with open(path, encoding="utf-8") as file:
        old = file.read()
    sys.stdout.writelines(difflib.unified_diff(old.splitlines(True), made.splitlines(True), "docs/coq.md", "made now"))
    if old != made:
        print("docs/coq.md is stale: ./run docs writes it anew")
    return int(old != made)


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in ("check", "write"):
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
