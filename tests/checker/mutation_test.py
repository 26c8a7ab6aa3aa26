#!/usr/bin/env python3
"""Mutates the certificates of a full run, and of one for a user's codebook, and asks both checkers about every mutant.

usage: mutation_test.py KVPROOF KVPROOF_CHECK CHECK_PY [MUTANTS_PER_CERTIFICATE [SEED]]

A mutant is one edit of a valid certificate, its closing hash recomputed so that the hash cannot do the work. It must be
rejected, or accepted with the same verdict because what it says is still true (a moved precision, a wider enclosure);
those are counted by kind and listed. Swapped verdicts, changed statements and dropped pieces of a cover are never
accepted. Both checkers answer with the same line on every mutant.
"""
import collections
import hashlib
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

NEVER_ACCEPTED = {"verdict", "statement", "cover"}
VERDICTS = ["proved", "refuted", "supported", "undecided"]
BATCH = 200
FEW = 24


def sealed(lines):
    body = "".join(line + "\n" for line in lines).encode()
    return body + b"end " + hashlib.sha256(body).hexdigest().encode() + b"\n"


def pick(lines, rng, pattern, first=0):
    """The number of a random line from `first` on that matches, or None."""
    numbers = [i for i in range(first, len(lines)) if re.search(pattern, lines[i])]
    return rng.choice(numbers) if numbers else None


def edit(lines, number, new):
    return lines[:number] + [new] + lines[number + 1:]


def flip_digit(lines, rng):
    number = pick(lines, rng, r"[0-9]", 6)
    if number is None:
        return None
    at = rng.choice([m.start() for m in re.finditer(r"[0-9]", lines[number])])
    digit = rng.choice([d for d in "0123456789" if d != lines[number][at]])
    return edit(lines, number, lines[number][:at] + digit + lines[number][at + 1:])


def flip_sign(lines, rng):
    number = pick(lines, rng, r" -?(0x)?[0-9a-f]+", 6)
    if number is None:
        return None
    fields = lines[number].split(" ")
    numeric = [i for i, f in enumerate(fields[1:], 1) if re.fullmatch(r"-?(0x[0-9a-f]+|[0-9]+(/[0-9]+)?)", f)]
    if not numeric:
        return None
    i = rng.choice(numeric)
    fields[i] = fields[i][1:] if fields[i].startswith("-") else "-" + fields[i]
    return edit(lines, number, " ".join(fields))


def drop_line(lines, rng):
    number = rng.randrange(len(lines))
    return lines[:number] + lines[number + 1:]


def duplicate_line(lines, rng):
    number = rng.randrange(len(lines))
    return lines[:number + 1] + lines[number:]


def swap_lines(lines, rng):
    number = rng.randrange(len(lines) - 1)
    if lines[number] == lines[number + 1]:
        return None
    return lines[:number] + [lines[number + 1], lines[number]] + lines[number + 2:]


def truncate(lines, rng):
    return lines[:rng.randrange(1, len(lines))]


def swap_verdict(lines, rng):
    now = lines[5].split(" ")[1]
    return edit(lines, 5, "verdict " + rng.choice([v for v in VERDICTS if v != now]))


def weaken_statement(lines, rng):
    """A number of the statement moves by one digit, or < becomes <=, or a part of a conjunction goes."""
    text = lines[4]
    digits = [m.start() for m in re.finditer(r"(?<=[0-9.])[0-9]", text)]
    strict = [m.start() + 2 for m in re.finditer(r"\([<>] ", text)]
    places = [("digit", at) for at in digits] + [("strict", at) for at in strict]
    if not places:
        return edit(lines, 4, text.replace("(", "(and (", 1) + ")") if "(" in text else None
    kind, at = rng.choice(places)
    if kind == "strict":
        return edit(lines, 4, text[:at] + "=" + text[at:])
    return edit(lines, 4, text[:at] + str((int(text[at]) + 1) % 10) + text[at + 1:])


def hex_text(value):
    return ("-" if value < 0 else "") + hex(abs(value))


def move_end_inward(lines, rng):
    """An enclosure of a split loses most of its width, a radius of an optimal quantiser nearly all of it."""
    number = pick(lines, rng, r"^(split [0-9]+ [0-9]+ -?0x|level )", 6)
    if number is None:
        return None
    fields = lines[number].split(" ")
    if fields[0] == "level":
        return edit(lines, number, " ".join(fields[:2] + [hex_text(int(fields[2], 16) // 64)]))
    low, high = int(fields[3], 16), int(fields[4], 16)
    if low == high:
        return None
    inward = (low + high) // 2 + 1
    moved = [hex_text(inward), fields[4]] if rng.random() < 0.5 else [fields[3], hex_text(inward - 2)]
    return edit(lines, number, " ".join(fields[:3] + moved))


def move_end_outward(lines, rng):
    """The enclosure of a split whose cells are not split again widens a little: that is still true."""
    deepest = max((int(line.split(" ")[1]) for line in lines if re.match(r"split [0-9]+ [0-9]+ -?0x", line)), default=None)
    number = pick(lines, rng, f"^split {deepest} [0-9]+ -?0x", 6)
    if number is None:
        return None
    fields = lines[number].split(" ")
    fields[3] = hex_text(int(fields[3], 16) - rng.randrange(1, 1000))
    return edit(lines, number, " ".join(fields))


def drop_cover_piece(lines, rng):
    number = pick(lines, rng, r"^leaf$", 6)
    return None if number is None else lines[:number] + lines[number + 1:]


KINDS = {
    "digit": flip_digit,
    "sign": flip_sign,
    "drop": drop_line,
    "duplicate": duplicate_line,
    "swap": swap_lines,
    "truncate": truncate,
    "verdict": swap_verdict,
    "statement": weaken_statement,
    "inward": move_end_inward,
    "outward": move_end_outward,
    "cover": drop_cover_piece,
}


def mutants(text, count, rng):
    """At most `count` different mutants of one certificate, as (kind, bytes)."""
    lines = text.decode("ascii").splitlines()[:-1]
    seen = {text}
    out = []
    first = rng.randrange(len(KINDS))          # so that a small count tries every kind somewhere
    for attempt in range(first, first + 4 * count):
        kind = list(KINDS)[attempt % len(KINDS)]
        changed = KINDS[kind](lines, rng)
        if changed is None:
            continue
        mutant = sealed(changed)
        if mutant not in seen:
            seen.add(mutant)
            out.append((kind, mutant))
        if len(out) == count:
            break
    return out


def user_codebook():
    """A quantiser of depth 3 that is not the Lloyd tree's."""
    ends, rows = [-2.5, 2.5], []
    for t in range(4):
        boundaries = ends[1:-1]
        centroids = [(a + b) / 2 for a, b in zip(ends, ends[1:])]
        rows.append({"t": t, "boundaries": [str(b) for b in boundaries], "centroids": [str(c) for c in centroids]})
        ends = sorted(ends + centroids)
    return {"table": "lloyd", "depth": 3, "levels": rows}


def run_verify(kvproof, out, *arguments):
    """The certificates of a run; verdicts about a user's codebook differ from the record."""
    run = subprocess.run([kvproof, "verify", *arguments, "--quiet", "--out", str(out)], stdout=subprocess.DEVNULL)
    if run.returncode not in (0, 1):
        sys.exit(f"{kvproof} verify: exit {run.returncode}")
    return sorted((out / "certificates").glob("*.cert"))


def answers(checker, paths):
    out = []
    for start in range(0, len(paths), BATCH):
        batch = [str(path) for path in paths[start:start + BATCH]]
        run = subprocess.run([*checker, *batch], capture_output=True, text=True)
        lines = run.stdout.splitlines()
        if len(lines) != len(batch):
            sys.exit(f"{checker[0]} answered {len(lines)} lines for {len(batch)} files, exit {run.returncode}: {run.stderr}")
        out += lines
    return out


def main(kvproof, kvproof_check, check_py, count=64, seed=1):
    checkers = [[kvproof_check], ["/usr/bin/python3", check_py]]
    rng = random.Random(int(seed))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        codebook = folder / "codebook.json"
        codebook.write_text(json.dumps(user_codebook()))
        originals = run_verify(kvproof, folder / "out")
        originals += run_verify(kvproof, folder / "user", "*.float32", "*.codebook", "--codebook", str(codebook))
        for checker in checkers:
            bad = [line for line in answers(checker, originals) if line.startswith("s INVALID")]
            if bad or not originals:
                sys.exit(f"{checker[-1]} rejects certificates of the run: {bad[:3]}")
        valid = dict(zip(originals, answers(checkers[0], originals)))
        made = []
        audit = [path for path in originals if path.name.startswith("paper.audit.")]   # hundreds, and alike
        few = set(rng.sample(audit, min(len(audit), FEW)))
        for original in [path for path in originals if path in few or path not in audit]:
            for number, (kind, text) in enumerate(mutants(original.read_bytes(), int(count), rng)):
                path = original.with_name(f"mutant.{number}.{original.name}")
                path.write_bytes(text)
                made.append((original, kind, path))
        both = [answers(checker, [path for _, _, path in made]) for checker in checkers]
        return judge(made, valid, both)


def judge(made, valid, both):
    failures = []
    accepted = collections.Counter()
    total = collections.Counter()
    for (original, kind, path), first, second in zip(made, *both):
        total[kind] += 1
        if first != second:
            failures.append(f"{path.name} ({kind}): kvproof-check says {first!r}, check.py {second!r}")
        if first.startswith("s INVALID"):
            continue
        accepted[kind] += 1
        print(f"still true: {path.name} ({kind}): {first}")
        if kind in NEVER_ACCEPTED or first != valid[original]:
            failures.append(f"{path.name} ({kind}) must be rejected, and is answered {first!r}")
    print(f"{len(made)} mutants:")
    for kind in KINDS:
        print(f"  {kind:<10} {total[kind]:>5} made, {accepted[kind]:>4} still true, the rest rejected")
    if total["outward"] and not accepted["outward"]:
        failures.append("no mutant was accepted: nothing shows that what is still true is")
    print("\n".join(failures) if failures else "every mutant is rejected or still true, and both checkers agree")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
