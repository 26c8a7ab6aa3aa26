#!/usr/bin/env python3
"""The claims readkv.table.resources.*: resources.py rows | check KVPROOF.

Both read the printed cells of tests/data/papers/readkv_tables.json. `rows` prints the claims' rows for proofs/claims.tsv.
`check` prints each cell and whether what is recomputed rounds to it, and fails where one does not, where a claim's formula
and `kvproof account` differ as exact fractions, or where proofs/claims.tsv holds other rows; then it spoils a cell, a
formula and a row and must notice.
"""
import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

from closed_forms import MODELS, abbreviations, names_used, parse, percent, value

ROOT = Path(__file__).resolve().parents[2]
ROWS = {
    "FullReader(4,4)": "full:4", "ReadKV(4,2)": "readkv:4,2", "ReadKV(8,2)": "readkv:8,2", "ReadKV(8,4)": "readkv:8,4",
    "KIVI-2bit": "kivi:2", "KIVI-4bit": "kivi:4", "TurboQuantK4V4": "turboquant", "Lloyd-2": "lloyd2",
    "SparQ(r32,k128)": "sparq:32,128", "SparQ+nested": "sparq-nested:32,128",
}
PREFIXES = {"qwen": "qwen2.5-7b", "mistral": "mistral-7b-v0.3"}
LENGTHS = {"2": 2048, "6": 2048, "3": 7500, "7": 3500}
CLAIMS = [("2", "reads"), ("2", "capacity"), ("6", "reads"), ("6", "capacity"), ("3", "capacity"), ("7", "capacity"),
          ("8", "capacity")]
INFERRED = ("Calibration (a mean and a scale of 16 bits for each key and value channel) and decoder tables (511 float32 "
            "centroids for keys and for values, whatever W) are not stated in the paper: inferred from its digits. No cell is a tie.")
NOTES = {
    "Lloyd-2": "Lloyd-2's two tables have 4 centroids each, and its Qwen2.5-14B entry was not run.",
    "SparQ(R2target)": "The low-read SparQ row is r = 8, k = 64 on Yi, r = 16, k = 64 elsewhere (F.2).",
}


def system_of(row, model):
    """The reader name of a printed row."""
    plain = row.removesuffix("+protected")
    if plain == "SparQ(R2target)":
        return "sparq:8,64" if model == "yi-1.5-6b" else "sparq:16,64"
    return ROWS[plain] + ("+protect" if plain != row else "")


def cells(table, quantity):
    """(where, printed, system, model, length) of each printed cell of a table, in its order."""
    data = json.loads((ROOT / "tests/data/papers/readkv_tables.json").read_text())
    for row, columns in next(t for t in data["tables"] if t["table"] == table)["cells"].items():
        prefix, _, name = row.rpartition("/")
        for column, fields in columns.items():
            if quantity in fields:
                model = PREFIXES[prefix] if prefix else column
                length = {"4k": 4096, "8k": 8192}[column] if table == "8" else LENGTHS[table]
                yield f"{row} {column}", fields[quantity], system_of(name, model), model, length


def rounds_to(number, printed):
    """Strictly within half a unit of the last digit: a tie would have to be named, and there is none."""
    half = Fraction(1, 2 * 10 ** len(printed.partition(".")[2]))
    return abs(number - Fraction(printed)) < half


def formula(table, quantity):
    """One relation for each different pair of a term and its printed digits."""
    relations = {}
    for _, printed, system, model, length in cells(table, quantity):
        assert len(printed.partition(".")[2]) == 1, printed
        tenths = int(Fraction(printed) * 10)
        low, high = (f"{(20 * tenths + sign) // 200}.{(20 * tenths + sign) * 5 // 10 % 100:02d}" for sign in (-10, 10))
        relations[f"(< {low} {percent(system, model, quantity, length)} {high})"] = True
    body = "(and " + " ".join(relations) + ")"
    known = abbreviations()
    bound = " ".join(f"({name} {known[name]})" for name in names_used(body, known))
    return f"(let ({bound}) {body})"


def rows():
    """The rows of proofs/claims.tsv."""
    for table, quantity in CLAIMS:
        found = list(cells(table, quantity))
        where = "over a causal pass of 2048 tokens" if quantity == "reads" else "at " + " and ".join(
            f"{length:,}" for length in sorted({cell[4] for cell in found})) + " cached tokens"
        notes = [note for row, note in NOTES.items() if any(cell[0].startswith(row + " ") for cell in found)]
        what = "logical reads" if quantity == "reads" else "retained capacity"
        if quantity == "reads":
            notes.append("Reads depend on R, not on how it is split between keys and values.")
        yield "\t".join((
            f"readkv.table.resources.{table}.{quantity}", "ReadKV", f"Table {table}, A.1, F.2", "exact",
            f"Each of the {len(found)} printed {what} cells of Table {table}, in percent of Dense {where}, is the "
            "accounted number to the printed digit", "const", formula(table, quantity), "proved", "default",
            " ".join([INFERRED] + notes), ""))


def accounted(kvproof, system, model, quantity, length):
    """`kvproof account`'s exact fraction."""
    out = subprocess.run([kvproof, "account", model, "--system", system, "--run", f"causal:{length}", "--format", "json"],
                         check=True, capture_output=True, text=True).stdout
    return Fraction(json.loads(out)[f"{quantity}_percent_exact"])


def registry_rows():
    """The rows that proofs/claims.tsv holds."""
    lines = (ROOT / "proofs/claims.tsv").read_text().splitlines()
    return [line for line in lines if line.startswith("readkv.table.resources.")]


def check(kvproof):
    """All faults, as lines."""
    faults, values = [], {}
    for name, term in abbreviations().items():
        values[name] = value(parse(term), values)
    for table, quantity in CLAIMS:
        for where, printed, system, model, length in cells(table, quantity):
            number = value(parse(percent(system, model, quantity, length)), values)
            verdict = "matches" if rounds_to(number, printed) else "DIFFERS"
            line = f"Table {table} {quantity} {where}: printed {printed}, recomputed {float(number):.6f}, {verdict}"
            print(line)
            if verdict != "matches":
                faults.append(line)
            if accounted(kvproof, system, model, quantity, length) != number:
                faults.append(f"kvproof account differs from the claim's formula: {line}")
    if registry_rows() != list(rows()):
        faults.append("proofs/claims.tsv holds other rows than `resources.py rows` prints")
    return faults


def mutants_are_seen():
    """Each comparison of `check` fails on a small change."""
    values = {}
    for name, term in (abbreviations() | {"tables": "(* 2 31 32)"}).items():
        values[name] = value(parse(term), values)
    changed = value(parse(percent("full:4", "qwen2.5-7b", "capacity", 4096)), values)
    spoiled = [row.replace("511", "510") for row in rows()]
    return not rounds_to(changed, "25.1") and not rounds_to(Fraction(2525, 100), "25.2") and spoiled != registry_rows()


def main(arguments):
    if arguments == ["rows"]:
        print("\n".join(rows()))
        return 0
    if len(arguments) != 2 or arguments[0] != "check":
        print(__doc__.splitlines()[0], file=sys.stderr)
        return 2
    faults = check(arguments[1])
    if not mutants_are_seen():
        faults.append("a mutant is not seen")
    print("\n".join(faults) if faults else f"all {sum(len(list(cells(*c))) for c in CLAIMS)} cells match")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
