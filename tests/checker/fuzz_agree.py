#!/usr/bin/env python3
"""Mutates the corpus's certificates at random and asks both checkers: they must give the same answer to each.

usage: fuzz_agree.py KVPROOF_CHECK CHECK_PY [MUTANTS [SEED]]

A mutant has one to three edits of bytes, fields or lines; its closing hash is recomputed but for one in fifty. Nothing
is expected of the answer itself but that it is one: mutation_test.py and corpus_test.py know which answers are right.
Prints the seed; where the checkers differ, the mutants are kept in the folder that is named.
"""
import collections
import hashlib
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from fractions import Fraction

import make_corpus

BATCH = 250
PRECISIONS = ["128", "256", "512", "1024", "2048", "4096"]
FIELDS = ["", "0", "-0", "1", "-1", "2", "7", "1/2", "2/4", "-1/3", "3/1", "0x0", "-0x0", "0x1", "-0x1f", "0x00", "0xA", "+1", "01", "1e3",
          "x", "y", "n", "leaf", "128", "256", "127", "65536", "9" * 30, "9" * 2001, "1/" + "7" * 1998, "0x" + "f" * 1998, "\t"]
LINES = ["leaf", "leaf 1", "leaf 2", "holds", "split x 1/2", "split y 0", "split x 1/4", "cases 8", "cases 12", "precision 128", "precision 4096", "scale 0",
         "scale 160", "at 1", "at 2", "value x 1/2", "value n 3", "code effort", "code node_budget", "", " ", "end", "use", "use x y",
         "verdict proved", "verdict refuted", "verdict supported", "verdict undecided", "level 1 0x0", "point 1 0x1", "split 1 0 0x0 0x0",
         "record 0x0", "record 0x3", "tree 0", "tree -", "tree 0 1 1", "lower zero", "lower unread", "lower clique 0 1 2", "lower unsat 1", "rup 0 1", "rup 1 0 1 2",
         "risk 0 0 oblivious 1/2", "prior 1", "pair 0 0 1", "pair 1 2 3", "mixture 1", "weight 1", "answers 0 1",
         "coq x y", "coq proofs/coq/Small.v:all " + "ab" * 32]
PROBE = re.compile(r"claim probe\.(risk|game)\((.*)\)")


def nudged(field, rng):
    """A number near the one that stands there, as it is written."""
    hexadecimal = re.fullmatch(r"(-?)0x([0-9a-f]+)", field)
    if hexadecimal:
        n = int(hexadecimal[1] + hexadecimal[2], 16) + rng.choice([-1, 1]) * (1 << rng.randrange(0, 180))
        return ("-" if n < 0 else "") + hex(abs(n))
    if field in PRECISIONS and rng.random() < 0.7:
        return rng.choice(PRECISIONS)
    if re.fullmatch(r"-?\d+(/\d+)?", field):
        if rng.random() < 0.4:
            return str(int(field.split("/")[0]) + rng.choice([-2, -1, 1, 2]))
        return str(Fraction(field) + Fraction(rng.choice([-1, 1]), rng.choice([2, 3, 7, 100, 2**40, 10**20])))
    return field[::-1]


def other_claim(lines, rng):
    """Another claim outside the registry for the same records."""
    kind, parameters = PROBE.fullmatch(lines[1]).groups()
    parameters = parameters.split(";")
    i = rng.randrange(len(parameters))
    classes = ["oblivious", "query-independent", "staged:1", "staged:2", "branching"]
    parameters[i] = rng.choice(classes) if i == 1 else rng.choice([nudged(parameters[i], rng), *FIELDS])
    lines[1], lines[4] = f"claim probe.{kind}({';'.join(parameters)})", f"statement (probe-{kind} {' '.join(parameters)})"


def mutant(data, rng):
    lines = data.decode().split("\n")[:-2]
    if len(lines) > 4 and PROBE.fullmatch(lines[1]) and rng.random() < 0.2:
        other_claim(lines, rng)
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        if not lines:
            break
        # The records are at the end, and there the edits are wanted.
        i = rng.randrange(len(lines)) if rng.random() < 0.1 else rng.randrange(min(6, len(lines) - 1), len(lines))
        kind = rng.choices(range(8), [1, 1, 1, 2, 1, 1, 2, 12])[0]
        fields = lines[i].split(" ")
        if kind == 0:
            del lines[i]
        elif kind == 1:
            lines.insert(i, rng.choice(lines))
        elif kind == 2:
            k = rng.randrange(len(lines))
            lines[i], lines[k] = lines[k], lines[i]
        elif kind == 3:
            lines.insert(i + rng.randrange(2), rng.choice(LINES))
        elif kind == 4:
            lines[i] = rng.choice(LINES)
        elif kind == 5 and lines[i]:
            at = rng.randrange(len(lines[i]))
            lines[i] = lines[i][:at] + chr(rng.choice([rng.randrange(256), rng.randrange(32, 127)])) + lines[i][at + rng.randrange(2):]
        else:
            numbers = [k for k, field in enumerate(fields) if re.fullmatch(r"-?[0-9][0-9a-fx/]*", field)] if kind == 7 else None
            j = rng.choice(numbers or range(len(fields)))
            fields[j] = rng.choice(FIELDS) if kind == 6 else nudged(fields[j], rng)
            lines[i] = " ".join(fields)
    body = "".join(line + "\n" for line in lines).encode("latin-1")
    closing = hashlib.sha256(body).hexdigest()
    if rng.random() < 0.02:
        closing = rng.choice([closing[1:] + closing[0], closing.upper(), closing[:-1], closing + "0"])
    data = body + b"end " + closing.encode() + rng.choice([b"\n"] * 150 + [b"", b"\r\n", b"\n\n"])
    return data[:rng.randrange(len(data))] if rng.random() < 0.01 else data


def answers(checker, folder, registry, files):
    arguments = [*checker, *(["--registry", registry] if registry != "-" else []), *files]
    run = subprocess.run(arguments, cwd=folder, capture_output=True, text=True, timeout=1800)
    lines = run.stdout.splitlines()
    if len(lines) != len(files) or run.stderr or run.returncode != int(any(line.startswith("s INVALID") for line in lines)):
        print(f"{checker[-1]}: status {run.returncode}, {len(lines)} answers to {len(files)} files: {run.stderr[-2000:]}")
        lines += ["(no answer)"] * (len(files) - len(lines))
    return lines


def main(compiled, script, count=3000, seed=None):
    seed = random.randrange(1 << 32) if seed is None else int(seed)
    rng = random.Random(seed)
    checkers = [[os.path.abspath(compiled)], [sys.executable, os.path.abspath(script)]]
    folder = tempfile.mkdtemp(prefix="fuzz_agree_")
    valid = [(registry, path) for registry, path, answer in make_corpus.main(folder) if not answer.startswith("s INVALID")]
    # Mutants of the large trees cost seconds in Python: they take one place in forty.
    small = [v for v in valid if os.path.getsize(os.path.join(folder, v[1])) < 4096]
    groups = collections.defaultdict(list)
    for number in range(int(count)):
        registry, path = rng.choice(valid if rng.random() < 0.025 else small)
        with open(os.path.join(folder, path), "rb") as file:
            data = mutant(file.read(), rng)
        name = os.path.join(os.path.dirname(path), f"mutant{number}.cert")
        with open(os.path.join(folder, name), "wb") as file:
            file.write(data)
        groups[registry].append((name, path))
    differences, seen = 0, collections.Counter()
    for registry, mutants in sorted(groups.items()):
        for start in range(0, len(mutants), BATCH):
            batch = mutants[start:start + BATCH]
            a, b = (answers(checker, folder, registry, [name for name, _ in batch]) for checker in checkers)
            for (name, path), x, y in zip(batch, a, b):
                words = x.split(" ")
                seen[words[-1] if words[1:2] == ["INVALID"] else " ".join(words[1:3] if words[1:2] == ["VERIFIED"] else words[1:2])] += 1
                if x != y:
                    differences += 1
                    if differences <= 20:
                        print(f"{os.path.join(folder, name)} (of {path}): {x!r}, {y!r}")
    print(f"seed {seed}: {count} mutants, {differences} differences;", ", ".join(f"{k} {n}" for k, n in seen.most_common()))
    if not differences:
        shutil.rmtree(folder)
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
