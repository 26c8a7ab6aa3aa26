"""The parts of a formula about the probe model, and the names of its terms (probe.FAMILY.CLASS w r)."""
import re
from dataclasses import dataclass
from fractions import Fraction

from probe_family import parameters
from probe_tree import access_class

WORDS = {"probe-risk": 5, "probe-table": 3, "probe-game": 6}   # operands
MOST_BUDGET = 16
BUDGET = re.compile("0|[1-9][0-9]?")
VALUE = re.compile("(0|[1-9][0-9]*)(?:/([1-9][0-9]*))?")


@dataclass
class Probe:
    family: str
    access: str                                # None for a table
    w: int
    r: int
    value: Fraction = None                     # of a risk; of a game the lower end
    upper: Fraction = None


def read(word, operands):
    """The Probe, or None where an operand is not one."""
    if len(operands) != WORDS[word] or not all(isinstance(o, str) for o in operands):
        return None
    family, *access = operands[:1 + (word != "probe-table")]
    w, r, *values = operands[1 + len(access):]
    values = [value(v) for v in values]
    if parameters(family) is None or not all(map(access_class, access)) or None in values or \
            not all(BUDGET.fullmatch(b) and int(b) <= MOST_BUDGET for b in (w, r)):
        return None
    return Probe(family, *(access or [None]), int(w), int(r), *values)


def value(text):
    """A rational >= 0 in lowest terms, as certificates write it, or None."""
    found = VALUE.fullmatch(text) if len(text) <= 2000 else None
    if not found or found[2] == "1":
        return None
    number = Fraction(int(found[1]), int(found[2] or 1))
    return number if number.denominator == int(found[2] or 1) else None


def is_term(word):
    family, _, access = word.removeprefix("probe.").rpartition(".")
    return word.startswith("probe.") and parameters(family) is not None and access_class(access) is not None
