#!/usr/bin/env python3
"""Compares mpmath_rival.py with `kvproof table` and `kvproof verify`: check_rival.py KVPROOF.

Both enclose the same numbers (boundaries, centroids, D, Delta, epsilon, one separation table, constants of the
theorems, the table's true gains, the least slack of the quantisers), so their enclosures must meet, and must be
narrow, or meeting would say nothing. Then some number of each kind is moved by a little more than the digits that are
compared, and the comparison must see it. Exits 77 (skipped) without mpmath.
"""
import copy
import json
import subprocess
import sys
import tempfile
from decimal import Decimal, getcontext
from pathlib import Path

try:
    import mpmath  # noqa: F401
except ImportError:
    print("SKIPPED: python3-mpmath is not installed")
    sys.exit(77)

import mpmath_rival

getcontext().prec = 100
NARROW = Decimal("1e-32")  # relative width of the rival's enclosures of numbers
SLACK_DIGITS = 12  # kvproof prints so many of the quantisers' slack, rounded down, from 64 bits
CONSTANTS = {
    "thm1.coefficient": "readkv.thm1.coefficient",
    "thm1.ratio": "readkv.thm1.ratio155",
    "thm1.instance": "readkv.thm1.instance",
    "obstruction": "readkv.lemma7.obstruction.exact",
    "thm2.upper": "readkv.thm2.upper",
    "thm2.factor.one": "readkv.thm2.factor.one",
    "thm2.factor.limit": "readkv.thm2.factor.limit",
}
GAINS = {t: f"readkv.lemma7.gain.{t}.codebook" for t in range(1, mpmath_rival.DEPTH + 1)}
QUANTISERS = "readkv.eq4.quantisers"


def kvproof(program, *arguments):
    run = subprocess.run([program, *arguments, "--format", "json"], check=True, capture_output=True, text=True)
    return json.loads(run.stdout)


# ---- enclosures as pairs of Decimals ----


def printed(text, digits):
    """What a number cut off after so many digits can be; with fewer digits it is exact."""
    value = Decimal(text)
    unit = Decimal(0)
    if len(value.as_tuple().digits) >= digits:
        unit = Decimal((value.is_signed(), (1,), value.as_tuple().exponent))
    return tuple(sorted((value, value + unit)))


def pair(ends):
    return tuple(map(Decimal, ends))


def minus(a, b):
    return a[0] - b[1], a[1] - b[0]


def over(a, b):
    """For positive enclosures."""
    return a[0] / b[1], a[1] / b[0]


def separation_rows(answer, dimension, probes):
    """The rows of `kvproof table separation` from the rival's enclosures."""
    shrink = Decimal(2) ** (-2 * probes // dimension)
    converse = tuple(16 * shrink * end for end in pair(answer["constants"]["thm1.coefficient"]))
    out = []
    for k in range(1, min(dimension, probes) + 1):
        depth = min(8, probes // k)
        achieved = tuple(k * end**2 for end in pair(answer["levels"][depth]["epsilon"]))
        out.append({"k": k, "L": depth, "certified": "yes" if achieved[1] < converse[0] else "no",
                    "converse": converse, "readkv": achieved, "factor": over(converse, achieved)})
    return out


# ---- the comparison ----


def apart(name, ours, rival):
    """What is wrong with two enclosures of one number: nothing, or a line."""
    if rival[0] > rival[1] or rival[1] - rival[0] > NARROW * abs(rival[0]):
        return [f"{name}: the rival's {rival} is no narrow enclosure"]
    return [] if ours[0] <= rival[1] and rival[0] <= ours[1] else [f"{name}: {ours} and {rival}"]


def compare_levels(expected, found):
    out = []
    for ours, rival in zip(expected, found, strict=True):
        where = f"level {ours['t']}"
        for kind in ("distortion", "gain", "epsilon"):
            if ours[kind] is not None:
                out += apart(f"{where} {kind}", printed(ours[kind], 30), pair(rival[kind]))
        for kind in ("boundaries", "centroids"):
            for i, (a, b) in enumerate(zip(ours[kind], rival[kind], strict=True)):
                out += apart(f"{where} {kind}[{i}]", printed(a, 30), pair(b))
    return out


def compare_rows(expected, found):
    out = []
    for ours, rival in zip(expected, found, strict=True):
        where = f"k = {ours['k']}"
        out += [f"{where}: {key} is {ours[key]} and {rival[key]}" for key in ("k", "L", "certified")
                if ours[key] != rival[key]]
        for kind in ("converse", "readkv", "factor"):
            out += apart(f"{where} {kind}", printed(ours[kind], 20), rival[kind])
    return out


def compare_claims(claims, answer):
    out = []
    rival = {CONSTANTS[name]: pair(answer["constants"][name]) for name in CONSTANTS}
    table = [pair(d) for d in answer["table_distortion"]]
    rival |= {name: minus(table[t - 1], table[t]) for t, name in GAINS.items()}
    for name, ends in rival.items():
        ours = claims[name]["enclosure"]
        out += apart(name, (Decimal(ours["lower"]), Decimal(ours["upper"])), ends)
    # what is optimal at 2 and 4 levels is the tree
    for t in (1, 2):
        out += apart(f"optimum of {t} bits", pair(answer["levels"][t]["distortion"]),
                     pair(answer["optimal_distortion"][t - 1]))
    ours = Decimal(claims[QUANTISERS]["slack"])
    low, high = pair(answer["quantiser_slack"])
    if not low - 2 * Decimal(10) ** (1 - SLACK_DIGITS) <= ours <= high:
        out.append(f"{QUANTISERS}: slack {ours} and {low}, {high}")
    return out


# ---- the comparison can fail ----


def moved(ends, relative):
    return [str(Decimal(end) * (1 + Decimal(relative))) for end in ends]


def unseen_changes(tree, table, claims, answer, rows):
    """The kinds of number of which a changed one is not seen."""
    out = []

    def check(kind, change, compare):
        mutant = copy.deepcopy((answer, rows))
        change(*mutant)
        if len(compare(*mutant)) != len(compare(answer, rows)) + 1:
            out.append(kind)

    def levels(found, _):
        return compare_levels(tree, found["levels"])

    for kind in ("distortion", "gain", "epsilon"):
        check(kind, lambda a, _: a["levels"][5].update({kind: moved(a["levels"][5][kind], "2e-29")}), levels)
        check("wide " + kind, lambda a, _: a["levels"][5].update({kind: ["0", "1"]}), levels)
    for kind in ("boundaries", "centroids"):
        check(kind, lambda a, _: a["levels"][5][kind].__setitem__(3, moved(a["levels"][5][kind][3], "2e-29")), levels)
    for kind in ("converse", "readkv", "factor"):
        check(kind, lambda _, r: r[31].update({kind: pair(moved(r[31][kind], "2e-19"))}),
              lambda _, r: compare_rows(table, r))

    def claimed(found, _):
        return compare_claims(claims, found)

    for name in CONSTANTS:
        check(name, lambda a, _: a["constants"].update({name: moved(a["constants"][name], "1e-32")}), claimed)
    check("true gain", lambda a, _: a["table_distortion"].__setitem__(8, moved(a["table_distortion"][8], "1e-30")),
          claimed)
    for t in (1, 2):
        check("optimum", lambda a, _: a["optimal_distortion"].__setitem__(
            t - 1, moved(a["optimal_distortion"][t - 1], "1e-40")), claimed)
    for by in ("1e-10", "-1e-10"):
        check("slack", lambda a, _: a.update(quantiser_slack=moved(a["quantiser_slack"], by)), claimed)
    return out


def main():
    program = sys.argv[1]
    answer, _ = mpmath_rival.compute()
    rows = separation_rows(answer, 128, 256)
    tree = kvproof(program, "table", "lloyd")["levels"]
    table = kvproof(program, "table", "separation", "--dimension", "128", "--probes", "256", "--digits", "20")["rows"]
    with tempfile.TemporaryDirectory() as folder:
        results = kvproof(program, "verify", *CONSTANTS.values(), *GAINS.values(), QUANTISERS, "--quiet", "--out",
                          str(Path(folder) / "out"))
    claims = {claim["id"]: claim for claim in results["claims"]}
    wrong = compare_levels(tree, answer["levels"]) + compare_rows(table, rows) + compare_claims(claims, answer)
    wrong += [f"a changed {kind} was not seen" for kind in unseen_changes(tree, table, claims, answer, rows)]
    if answer["splits_checked_twice"] != 255:
        wrong.append(f"mpmath finds {answer['splits_checked_twice']} of 255 splits")
    for line in wrong:
        print(line)
    numbers = sum(3 + len(level["boundaries"]) + len(level["centroids"]) for level in tree) - 1
    numbers += 3 * len(table) + len(claims)
    print(f"{numbers} enclosures compared, {len(wrong)} differences")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
