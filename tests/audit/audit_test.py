"""The audit of printed numbers, held against what was not made by it.

usage: audit_test.py KVPROOF KVPROOF_CHECK CHECK_PY [MUTANTS [SEED]]

* proofs/audit/claims.tsv is what make_claims.py writes, a row for each entry of claims_derived.json.
* Each recorded verdict, and each that KVPROOF earns, is the one that printed_numbers.py finds from the JSON another way.
* Both checkers accept every certificate with that verdict.
* Mutants: a digit of a printed number changes, and the certificate is kept. Both checkers accept it for the changed row only where
  its verdict still is the one of printed_numbers.py; and a verdict does change with a digit, often.
"""
import copy
import hashlib
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
sys.path.insert(0, os.path.join(ROOT, "proofs", "audit"))

import make_claims
from printed_numbers import Entry, Paper

DATA = os.path.join(ROOT, "tests", "data", "papers")
WORD = {"proved": "s VERIFIED PROVED {}", "refuted": "s VERIFIED REFUTED {}", "supported": "s SUPPORTED {} 0"}
failures = []


def expect(truth, message):
    if not truth:
        failures.append(message)


def registry_rows():
    with open(os.path.join(ROOT, "proofs", "audit", "claims.tsv"), encoding="utf-8") as file:
        return [line.rstrip("\n").split("\t") for line in file]


def rows_are_made_from_the_tables(rows):
    made = [make_claims.COLUMNS, *make_claims.rows(DATA)]
    expect(made == rows, "proofs/audit/claims.tsv is not what make_claims.py writes: " +
           str(next((a for a, b in zip(made, rows) if a != b), "another number of rows"))[:300])


def verdicts_agree(rows, paper):
    """The record against an evaluation of the JSON. Returns the verdicts by id."""
    recorded = {row[0]: (row[7], row[9]) for row in rows[1:]}
    expect(set(recorded) == {"paper.audit." + e["id"] for e in paper.entries}, "not one row for each entry")
    found = {}
    for entry in paper.entries:
        name = "paper.audit." + entry["id"]
        sentence = Entry(entry, paper)
        verdict, holds = sentence.verdict()
        found[name] = verdict
        expect(recorded[name][0] == verdict, f"{name}: recorded {recorded[name][0]}, found {verdict}")
        if verdict == "supported":
            says = recorded[name][1].startswith("rounding edge: holds") or not recorded[name][1].startswith("rounding edge: fails")
            expect(says == holds, f"{name}: its note is wrong about the printed digits")
            expect((" tie," in recorded[name][1]) == sentence.needs_tie(), f"{name}: its note is wrong about a tie")
    return found


def kvproof_agrees(kvproof, out, found):
    run = subprocess.run([kvproof, "verify", "paper.audit.*", "--quiet", "--format", "json", "--out", str(out)],
                         capture_output=True, text=True)
    expect(run.returncode == 0, f"kvproof verify: status {run.returncode} {run.stderr[:200]}")
    earned = {claim["id"]: claim["verdict"] for claim in json.loads(run.stdout)["claims"]}
    for name, verdict in found.items():
        expect(earned.get(name) == verdict, f"{name}: kvproof says {earned.get(name)}, expected {verdict}")


def answers(checker, paths, registry=None):
    run = subprocess.run([*checker, *(["--registry", str(registry)] if registry else []), *map(str, paths)], capture_output=True, text=True)
    lines = run.stdout.splitlines()
    if len(lines) != len(paths):
        sys.exit(f"{checker[-1]}: {len(lines)} answers to {len(paths)} files: {run.stderr[:300]}")
    return lines


def certificate_of(out, name):
    return out / "certificates" / (name.replace("/", "-") + ".cert")


def checkers_accept(checkers, out, found):
    names = list(found)
    for checker in checkers:
        for name, line in zip(names, answers(checker, [certificate_of(out, name) for name in names])):
            expect(line == WORD[found[name]].format(name), f"{checker[-1]}: {line}, expected {found[name]}")


def changed_digit(entry, paper, rng):
    """The entry and the tables with one digit of one printed number changed; None where there is no number."""
    used = Entry(entry, paper)
    used.truth()
    leaves = [leaf for leaf in used.used if not isinstance(leaf, int) and leaf[0] in ("cell", "value")]
    if not leaves:
        return None
    leaf = rng.choice(leaves)
    entry, cells = copy.deepcopy(entry), dict(paper.cells)
    other = copy.copy(paper)
    other.cells = cells

    def change(text):
        at = rng.choice([m.start() for m in re.finditer(r"[0-9]", text)])
        return text[:at] + rng.choice([d for d in "0123456789" if d != text[at]]) + text[at + 1:]
    if leaf[0] == "cell":
        key = tuple(leaf[1:4])
        cells[key] = {**cells[key], leaf[4]: change(cells[key][leaf[4]])}
    elif isinstance(entry["value"], list):
        entry["value"][leaf[1]] = change(entry["value"][leaf[1]])
    else:
        entry["value"] = change(entry["value"])
    return entry, other


class ChangedCells(make_claims.Cells):
    """make_claims's view of changed tables."""

    def __init__(self, paper):
        super().__init__(DATA)
        self.paper = paper

    def cell(self, leaf):
        return self.paper.cells[tuple(leaf[1:4])]


def mutants(checkers, out, paper, found, folder, count, rng):
    entries = {"paper.audit." + e["id"]: e for e in paper.entries}
    formulas = {row[0]: row[6] for row in registry_rows()[1:]}
    rows, certificates, verdicts = [], [], {}
    while len(rows) < count:
        name = rng.choice(list(entries))
        changed = changed_digit(entries[name], paper, rng)
        if changed is None:
            continue
        try:
            verdict, _ = Entry(*changed).verdict()
        except (AssertionError, ZeroDivisionError):    # a divisor that may be 0 now
            continue
        row = make_claims.Row(changed[0], ChangedCells(changed[1]))
        expect(row.formula != formulas[name], f"{name}: its row does not depend on a digit that it uses")
        new = f"mutant.{len(rows)}"
        rows.append([new, "-", "-", "exact", "-", row.rule, row.formula, "-", "default", "", ""])
        lines = certificate_of(out, name).read_text(encoding="ascii").splitlines()[:-1]
        lines[1], lines[4] = f"claim {new}", f"statement {row.formula}"
        body = "".join(line + "\n" for line in lines)
        path = folder / f"{new}.cert"
        path.write_text(body + f"end {hashlib.sha256(body.encode()).hexdigest()}\n", encoding="ascii")
        certificates.append(path)
        verdicts[new] = (found[name], verdict)
    registry = folder / "claims.tsv"
    registry.write_text("".join("\t".join(row) + "\n" for row in [make_claims.COLUMNS, *rows]), encoding="utf-8")
    both = [answers(checker, certificates, registry) for checker in checkers]
    kept = 0
    for (name, (old, new)), first, second in zip(verdicts.items(), *both):
        expect(first == second, f"{name}: {first} and {second}")
        if first.startswith("s INVALID"):
            continue
        kept += 1
        expect(new in (old, None) and first == WORD[old].format(name), f"{name}: {first}, but it is {new}")
    moved = sum(old != new for old, new in verdicts.values())
    print(f"{count} digits changed: {moved} verdicts change, {kept} certificates still hold")
    expect(moved > count // 4 and kept > count // 20, "mutants that change nothing, or everything")


def main(kvproof, kvproof_check, check_py, count=300, seed=1):
    checkers = [[kvproof_check], ["/usr/bin/python3", "-B", check_py]]
    rows, paper = registry_rows(), Paper(DATA)
    rows_are_made_from_the_tables(rows)
    found = verdicts_agree(rows, paper)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        out = folder / "out"
        kvproof_agrees(kvproof, out, found)
        checkers_accept(checkers, out, found)
        mutants(checkers, out, paper, found, folder, int(count), random.Random(int(seed)))
    print("\n".join(failures) if failures else f"{len(found)} sentences: every verdict is found twice and certified")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
