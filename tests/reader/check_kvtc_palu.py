#!/usr/bin/env python3
"""Compares kvtc_palu_rival.py with `kvproof compare`: check_kvtc_palu.py KVPROOF FOLDER...

Every folder's pairs NAME_test and NAME_calib are used whose calibration has projections. Both compute the mean error and
the stored bits of the same systems by different code: errors must agree to a part in 10^9, for a code that falls on the
other side of an edge would show, and bits exactly, DEFLATE's included (Debian has one zlib, which Python links too). Then
more bits must have changed the rival's numbers, or the comparison would not see their loss. Exits 77 (skipped) without numpy or captures.
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
import kvtc_palu_rival

CLOSE = 1e-9


def compare(program, test, calib, names, every):
    arguments = [program, "compare", test, "--calibration", calib, "--queries", f"every:{every}", "--format", "json",
                 "--quiet"]
    for name in names:
        arguments += ["--reader", name]
    out = subprocess.run(arguments, check=True, capture_output=True, text=True).stdout
    return {row["reader"]: (row["relative_error"], int(row["bits_stored"])) for row in json.loads(out)["rows"]}


def main():
    program = sys.argv[1]
    wrong, compared = [], 0
    for folder in map(Path, sys.argv[2:]):
        for calib in sorted(folder.glob("*_calib.safetensors")):
            test = calib.with_name(calib.name.replace("_calib", "_test"))
            learnt = aatc_rival.read_safetensors(calib)
            if not test.exists() or "layers.0.wk" not in learnt[1]:
                continue
            names = ["kvtc:1.25", "kvtc:2", "kvtc:2.5", "palu:32,2", "palu:32,4"]
            width = min(4, int(learnt[0]["G"])) * int(learnt[0]["d_h"])
            if width >= 96:
                names.append("palu:96,4")
            seen = aatc_rival.read_safetensors(test)
            every = max(1, seen[1]["layers.0.q"].shape[1] // 16)
            ours = compare(program, str(test), str(calib), names, every)
            rival = {name: kvtc_palu_rival.run(name, seen, learnt, every) for name in names}
            for name in names:
                compared += 1
                error, bits = rival[name]
                if not abs(ours[name][0] - error) <= CLOSE * error or ours[name][1] != bits:
                    wrong.append(f"{test.name}: {name}: {ours[name]!r} and {rival[name]!r}")
            for fewer, more in [("kvtc:1.25", "kvtc:2"), ("palu:32,2", "palu:32,4")]:
                apart = abs(rival[more][0] - rival[fewer][0]) > 1e3 * CLOSE * rival[more][0]
                if not (apart and rival[more][1] > rival[fewer][1]):
                    wrong.append(f"{test.name}: {more} would not be told from {fewer}")
    if not compared:
        print("SKIPPED: found no captures with projections")
        sys.exit(77)
    for line in wrong:
        print(line)
    print(f"{compared} systems compared, {len(wrong)} differences")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
