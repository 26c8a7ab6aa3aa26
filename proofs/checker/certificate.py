"""One certificate: its frame, header and uses, then its records by the parts of the registry's formula."""
import os

import rule_codebook
import rule_const
import rule_cover
import rule_enumerate
import rule_game
import rule_lloyd
import rule_printed
import rule_unsat
from evaluate import Evaluator
from formula import Forall, Printed, Relation
from quantities import Quantities
from records import Invalid, Records
from registry import RISKS, row_of

PRECISIONS = (128, 256, 512, 1024, 2048, 4096)
WHY = ("precision_cap", "case_budget", "node_budget", "missing_part", "missing_input", "not_shown", "effort")


class Result:
    """The answer to one file, and what a certificate that uses it may take from it."""

    def __init__(self, answer, proved=False, claim=None, digest=None, found=None):
        self.answer, self.proved, self.claim, self.digest = answer, proved, claim, digest
        self.found = found                     # the Tree, Optimal, Table or risks of its formula


class Context:
    """What the rules need, and leave, while the records of one certificate are read."""
    def __init__(self, records, claim, precision, used):
        self.records, self.claim, self.precision_line = records, claim, records.line
        sources = (used.get(name) for name in ("readkv.lloyd.tree", "readkv.lloyd.optimal", "codebook", RISKS))
        self.evaluator = Evaluator(precision, Quantities(*sources))
        self.cases, self.found, self.risks = 0, None, {}


class Checker:
    def __init__(self, claims, proofs=frozenset()):
        self.claims, self.proofs = claims, proofs
        self.results = {}                      # path -> Result, or None while it is being checked

    def check(self, path):
        """The Result of a file; each file is read and checked once."""
        key = os.path.abspath(path)
        if key not in self.results:
            self.results[key] = None
            self.results[key] = self.decide(path)
        return self.results[key]

    def decide(self, path):
        records = None
        try:
            records = Records(path)
            return self.verify(records, os.path.dirname(path))
        except Invalid as error:
            line, code = error.line, error.code
        except Exception:                      # never VERIFIED by accident
            line, code = (records.line, "bad_record") if records else (0, "unreadable")
        return Result(f"s INVALID {records.claim() if records else '-'} {line} {code}")

    def verify(self, records, folder):
        digest = records.check_frame()
        name = records.header(2)
        claim = row_of(self.claims, name)
        if claim is None:
            raise Invalid(2, "unknown_claim")
        for line, code, value in ((3, "rule_differs", claim.rule), (4, "scope_differs", claim.scope),
                                  (5, "statement_differs", claim.statement)):
            if records.header(line) != value:
                raise Invalid(line, code)
        verdict = records.header(6)
        if verdict not in ("proved", "refuted", "supported", "undecided"):
            raise Invalid(6, "bad_record")
        part, pending = ("part" in claim.formula.words), ("pending" in claim.formula.words)
        sampled = "reader" in claim.formula.words   # a sample is repeated, not certified
        external = bool(verdict == "proved" and part and claim.proof and not claim.table)   # the proof is Coq's to check
        printed = isinstance(claim.formula.body, Printed)            # may hold for some of the values it speaks of
        if (verdict == "proved" and part and not external or verdict == "supported" and not part and not printed
                or verdict != "undecided" and pending or sampled):
            raise Invalid(6, "verdict_differs")
        records.skip(6)
        used = self.uses(records, claim, folder)
        if verdict == "undecided":
            why, = records.record("code", 1)
            if why not in WHY:
                raise records.malformed()
            records.finish()
            return Result(f"s UNDECIDED {name} {why}")
        precision = records.integer(records.record("precision", 1)[0])
        if precision not in PRECISIONS:
            raise records.malformed()
        context = Context(records, claim, precision, used)
        if printed:
            rule_printed.check(claim.formula.body, verdict, context)
        elif verdict == "refuted":
            rule_const.refute(context)
        else:
            walk(claim.formula.body, context)
        proof = records.record("coq", 2) if external else None
        if external and (proof[0] != claim.proof or tuple(proof) not in self.proofs):
            raise Invalid(records.line, "bad_proof")
        records.finish()
        if external:
            return Result(f"s EXTERNAL {name} coq {proof[0]} {proof[1]}")
        if verdict == "refuted":
            return Result(f"s VERIFIED REFUTED {name}")
        if verdict == "supported":
            return Result(f"s SUPPORTED {name} {context.cases}")
        return Result(f"s VERIFIED PROVED {name}", True, name, digest, context.risks if name == RISKS else context.found)

    def uses(self, records, claim, folder):
        """Reads the `use` lines; returns what the used certificates hold, by id."""
        used = {}
        for name in claim.needed():
            if not records.next_is(b"use "):
                raise Invalid(records.line + 1, "bad_use")
            fields = records.advance().decode().split(" ")
            result = self.check(os.path.join(folder, name + ".cert")) if fields[1:2] == [name] else None
            if result is None or not result.proved or result.claim != name or fields[2:] != [result.digest]:
                raise Invalid(records.line, "bad_use")
            if name == "codebook" and result.digest != claim.table:
                raise Invalid(records.line, "bad_use")
            used[name] = result.found
        if records.next_is(b"use "):
            raise Invalid(records.line + 1, "bad_use")
        return used


def walk(part, context):
    """Checks the parts of a formula outside quantifiers in order; each has its rule."""
    if isinstance(part, Relation):
        rule_const.check(part, context)
    elif isinstance(part, Forall) and part.variables[0].integer:
        context.cases += rule_enumerate.check(part, context)
    elif isinstance(part, Forall):
        for relation in rule_enumerate.inside(part)[1]:
            rule_cover.check(relation, context)
    elif part.what in ("and", "part"):
        for inner in part.arguments:
            walk(inner, context)
    elif part.what == "codebook":
        context.found = rule_codebook.check(context)
    elif part.what == "lloyd-tree":
        context.found = rule_lloyd.check_tree(*part.arguments, context)
    elif part.what == "lloyd-symmetric":
        rule_lloyd.check_symmetric(*part.arguments, context)
    elif part.what == "probe-risk":
        rule_unsat.check_risk(*part.arguments, context)
    elif part.what == "probe-table":
        rule_unsat.check_table(*part.arguments, context)
    elif part.what == "probe-game":
        rule_game.check(*part.arguments, context)
    else:
        context.found = rule_lloyd.check_optimal(*part.arguments, context)
