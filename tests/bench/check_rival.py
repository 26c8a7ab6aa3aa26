#!/usr/bin/env python3
"""Compares mpmath_rival.py with `kvproof table`: check_rival.py KVPROOF.

Every number of the Lloyd tree (boundaries, centroids, D, Delta, epsilon) and of one separation table must
agree with those of an independent library. Then some number of each kind is changed in one of its last digits
that are compared, and the comparison must see it. Exits 77 (skipped) without mpmath.
"""
import copy
import json
import subprocess
import sys
from decimal import Decimal, getcontext
from pathlib import Path

try:
    import mpmath  # noqa: F401
except ImportError:
    print("SKIPPED: python3-mpmath is not installed")
    sys.exit(77)

import mpmath_rival

getcontext().prec = 60
TREE = Decimal("1e-28")  # kvproof prints 30 digits, cut off
SEPARATION = Decimal("1e-18")  # 20 digits


def kvproof(program, *arguments):
    run = subprocess.run([program, "table", *arguments, "--format", "json"], check=True,
                         capture_output=True, text=True)
    return json.loads(run.stdout)


def differences(expected, found, relative, where):
    """The places where two equally shaped trees of decimal strings differ."""
    if isinstance(expected, dict):
        pairs = [(f"{where}.{key}", expected[key], found[key]) for key in expected]
    elif isinstance(expected, list):
        if len(expected) != len(found):
            return [f"{where}: {len(expected)} and {len(found)} numbers"]
        pairs = [(f"{where}[{i}]", *both) for i, both in enumerate(zip(expected, found))]
    elif not isinstance(expected, str):
        return [] if expected == found else [f"{where}: {expected} and {found}"]
    elif abs(Decimal(expected) - Decimal(found)) <= relative * abs(Decimal(expected)):
        return []
    else:
        return [f"{where}: {expected} and {found}"]
    return [line for name, a, b in pairs for line in differences(a, b, relative, name)]


def count(tree):
    if isinstance(tree, (dict, list)):
        return sum(count(part) for part in (tree.values() if isinstance(tree, dict) else tree))
    return isinstance(tree, str)


def separation_rows(answer, dimension, probes):
    """The rows of `kvproof table separation` from the rival's epsilons."""
    from mpmath import mp, mpf

    out = []
    with mp.workprec(128):
        converse = mpf(2) ** (1 - mpf(2 * probes) / dimension) / (mp.pi * mp.e)
        for k in range(1, min(dimension, probes) + 1):
            depth = min(8, probes // k)
            achieved = k * mpf(answer["levels"][depth]["epsilon"]) ** 2
            out.append({
                "k": k,
                "L": depth,
                "converse": mp.nstr(converse, 30),
                "readkv": mp.nstr(achieved, 30),
                "certified": "yes" if achieved < converse else "no",
                "factor": mp.nstr(converse / achieved, 30),
            })
    return out


def compare_rows(expected, found):
    words = [f"k = {a['k']}: {a['certified']} and {b['certified']}"
             for a, b in zip(expected, found) if a["certified"] != b["certified"]]
    numbers = [[{key: row[key] for key in ("k", "L", "converse", "readkv", "factor")} for row in rows]
               for rows in (expected, found)]
    return words + differences(*numbers, SEPARATION, "rows")


def changed(text, relative):
    return str(Decimal(text) * (1 + 2 * relative))


def unseen_changes(tree, levels, table, rows):
    """The kinds of number of which a changed one is not seen."""
    kinds = ("distortion", "gain", "epsilon", "boundaries", "centroids")
    before = len(differences(tree, levels, TREE, ""))
    out = []
    for kind in kinds:
        mutant = copy.deepcopy(levels)
        holder, key = (mutant[5], kind) if isinstance(mutant[5][kind], str) else (mutant[5][kind], 3)
        holder[key] = changed(holder[key], TREE)
        if len(differences(tree, mutant, TREE, "")) != before + 1:
            out.append(kind)
    before = len(compare_rows(table, rows))
    for kind in ("converse", "readkv", "factor"):
        mutant = copy.deepcopy(rows)
        mutant[31][kind] = changed(mutant[31][kind], SEPARATION)
        if len(compare_rows(table, mutant)) != before + 1:
            out.append(kind)
    return out


def main():
    program = sys.argv[1]
    answer, _ = mpmath_rival.compute()
    rows = separation_rows(answer, 128, 256)
    tree = kvproof(program, "lloyd")["levels"]
    table = kvproof(program, "separation", "--dimension", "128", "--probes", "256", "--digits", "20")["rows"]
    wrong = differences(tree, answer["levels"], TREE, "levels") + compare_rows(table, rows)
    wrong += [f"a changed {kind} was not seen"
              for kind in unseen_changes(tree, answer["levels"], table, rows)]
    if answer["splits_checked_twice"] != 255:
        wrong.append(f"mpmath finds {answer['splits_checked_twice']} of 255 splits")
    for line in wrong:
        print(line)
    print(f"{count(tree) + count(table)} numbers compared, {len(wrong)} differences")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
