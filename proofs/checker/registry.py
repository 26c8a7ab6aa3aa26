"""proofs/claims.tsv: which claims there are, and for each its rule, scope and formula."""
import os
import re
from dataclasses import dataclass, replace

import formula
from formula import require

TABLE = {"float32", "codebook"}                # families of quantities that speak of the stored table
RISKS = "readkv.c.risks"                       # the row that (probe.FAMILY.CLASS w r) speaks of
OUTSIDE = re.compile(r"probe\.(risk|game)\(([^ ()]+)\)")
INSTANCE = re.compile(r"([^(]*)\(([0-9a-f]{64})\)")
COLUMNS = ["id", "paper", "place", "scope", "statement", "rule", "formula", "recorded", "effort", "note", "proof"]


class RegistryError(Exception):
    """The registry cannot be used; the message is one line."""


@dataclass
class Claim:
    id: str
    rule: str
    scope: str
    statement: str
    formula: formula.Formula
    proof: str = ""                            # proofs/coq/FILE.v:theorem

    table: str = None                          # of an instance of a template: the hash of its table

    def needed(self):
        """The ids of the certificates its formula needs, in the order of the `use` lines."""
        families = self.formula.quantities
        tree = "lloyd" in families or "lloyd-symmetric" in self.formula.words or families & TABLE and not self.table
        return ["readkv.lloyd.tree"] * bool(tree) + ["readkv.lloyd.optimal"] * ("lloydmax" in families) + \
            ["codebook"] * bool(self.table) + [RISKS] * ("probe" in families)


def load(path):
    """The claims by id, with those of audit/claims.tsv beside the file; RegistryError names file and row of what is wrong."""
    claims = {}
    load_file(path, claims)
    audit = os.path.join(os.path.dirname(path), "audit", "claims.tsv")
    if os.path.exists(audit):
        load_file(audit, claims)
    return claims


def load_file(path, claims):
    number = 1
    try:
        with open(path, encoding="utf-8", newline="\n") as file:
            names, *rows = [line.rstrip("\n").split("\t") for line in file] or [[]]
        require(names[:len(COLUMNS)] == COLUMNS, f"the columns are to be {' '.join(COLUMNS)} ...")
        for number, row in enumerate(rows, 2):
            require(len(row) == len(names), f"{len(row)} columns, expected {len(names)}")
            named = dict(zip(names, row))
            require(named["id"] not in claims, f"{named['id']} stands twice")
            claims[named["id"]] = Claim(named["id"], named["rule"], named["scope"], named["formula"],
                                        formula.read(named["formula"]), named["proof"])
    except (OSError, UnicodeDecodeError, formula.FormulaError) as error:
        raise RegistryError(f"{path}: line {number}: {error}") from None


def load_proofs(path):
    """The (proof, hash) pairs of coq/checked.tsv; none where there is no such file."""
    try:
        with open(path, encoding="utf-8", newline="\n") as file:
            rows = [line.rstrip("\n").split("\t") for line in file][1:]
    except FileNotFoundError:
        return set()
    except (OSError, UnicodeDecodeError) as error:
        raise RegistryError(f"{path}: {error}") from None
    for number, row in enumerate(rows, 2):
        if row != [""] and len(row) < 3:
            raise RegistryError(f"{path}: line {number}: not three fields")
    return {(f"proofs/coq/{row[0]}:{row[1]}", row[2]) for row in rows if row != [""]}


def row_of(claims, name):
    """The claim of a certificate's claim line: a row, a row's instance for a user's table, one outside, or None."""
    if name == "codebook":
        return Claim(name, name, "file", "(codebook)", formula.read("(codebook)"))
    outside = OUTSIDE.fullmatch(name)
    if outside:
        return probe_claim(name, *outside.groups())
    instance = INSTANCE.fullmatch(name)
    if not instance:
        return claims.get(name)
    row = claims.get(instance.group(1))
    return replace(row, table=instance.group(2)) if row and row.formula.quantities & TABLE else None


def probe_claim(name, kind, parameters):
    """probe.risk(...) and probe.game(...): their parameters say the formula."""
    text = f"(probe-{kind} {' '.join(parameters.split(';'))})"
    if "" in parameters.split(";"):
        return None
    try:
        return Claim(name, "unsat" if kind == "risk" else "game", "exact", text, formula.read(text))
    except formula.FormulaError:
        return None
