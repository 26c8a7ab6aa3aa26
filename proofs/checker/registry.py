"""proofs/claims.tsv: which claims there are, and for each its rule, scope and formula."""
from dataclasses import dataclass

import formula
from formula import require

COLUMNS = ["id", "paper", "place", "scope", "statement", "rule", "formula"]


class RegistryError(Exception):
    """The registry cannot be used; the message is one line."""


@dataclass
class Claim:
    id: str
    rule: str
    scope: str
    statement: str
    formula: formula.Formula

    def needed(self):
        """The ids of the certificates its formula needs, in the order of the `use` lines."""
        tree = self.formula.quantities & {"lloyd", "float32", "codebook"} or "lloyd-symmetric" in self.formula.words
        return (["readkv.lloyd.tree"] if tree else []) + \
               (["readkv.lloyd.optimal"] if "lloydmax" in self.formula.quantities else [])


def load(path):
    """The claims by id; RegistryError with the file and the row where something is wrong."""
    number, claims = 1, {}
    try:
        with open(path, encoding="utf-8", newline="\n") as file:
            names, *rows = [line.rstrip("\n").split("\t") for line in file] or [[]]
        require(names[:len(COLUMNS)] == COLUMNS, f"the columns are to be {' '.join(COLUMNS)} ...")
        for number, row in enumerate(rows, 2):
            require(len(row) == len(names), f"{len(row)} columns, expected {len(names)}")
            named = dict(zip(names, row))
            require(named["id"] not in claims, f"{named['id']} stands twice")
            claims[named["id"]] = Claim(named["id"], named["rule"], named["scope"], named["formula"],
                                        formula.read(named["formula"]))
    except (OSError, UnicodeDecodeError, formula.FormulaError) as error:
        raise RegistryError(f"{path}: line {number}: {error}") from None
    return claims
