#!/usr/bin/env python3
"""Compares aatc_rival.py with `kvproof compare`: check_aatc.py KVPROOF FOLDER...

Every folder's pairs NAME_test and NAME_calib are used whose calibration has projections. Both compute the mean error of
the same systems by different code and another route to the transform, so they must agree to a part in 10^9: a code that
falls on the other side of an edge would show. Then each option that an argument switches on must have changed the
rival's number by more than that, or the comparison would not see its loss. Exits 77 (skipped) without numpy or captures.
"""
import json
import subprocess
import sys
from pathlib import Path

try:
    import numpy  # noqa: F401
except ImportError:
    print("SKIPPED: python3-numpy is not installed")
    sys.exit(77)

import aatc_rival

CLOSE = 1e-9
NAMES = ["aatc:2.5", "aatc:2.5,repaired", "aatc-var:2.5", "aatc:2.5,plain", "aatc-var:4,plain,repaired"]
GROUPED = "aatc:3,groups=2"


def compare(program, test, calib, names, every):
    arguments = [program, "compare", test, "--calibration", calib, "--queries", f"every:{every}", "--format", "json",
                 "--quiet"]
    for name in names:
        arguments += ["--reader", name]
    out = subprocess.run(arguments, check=True, capture_output=True, text=True).stdout
    return {row["reader"]: row["relative_error"] for row in json.loads(out)["rows"]}


def main():
    program = sys.argv[1]
    wrong, compared = [], 0
    for folder in map(Path, sys.argv[2:]):
        for calib in sorted(folder.glob("*_calib.safetensors")):
            test = calib.with_name(calib.name.replace("_calib", "_test"))
            learnt = aatc_rival.read_safetensors(calib)
            if not test.exists() or "layers.0.wk" not in learnt[1]:
                continue
            names = NAMES + [GROUPED] if int(learnt[0]["G"]) % 2 == 0 else NAMES
            seen = aatc_rival.read_safetensors(test)
            every = max(1, seen[1]["layers.0.q"].shape[1] // 16)
            ours = compare(program, str(test), str(calib), names, every)
            rival = {name: aatc_rival.run(name, seen, learnt, every)[0] for name in names}
            for name in names:
                compared += 1
                if not abs(ours[name] - rival[name]) <= CLOSE * rival[name]:
                    wrong.append(f"{test.name}: {name}: {ours[name]!r} and {rival[name]!r}")
            for name in names[1:]:
                if not abs(rival[name] - rival[names[0]]) > 1e3 * CLOSE * rival[name]:
                    wrong.append(f"{test.name}: {name} would not be told from {names[0]}")
    if not compared:
        print("SKIPPED: found no captures with projections")
        sys.exit(77)
    for line in wrong:
        print(line)
    print(f"{compared} errors compared, {len(wrong)} differences")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
