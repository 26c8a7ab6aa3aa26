#!/usr/bin/env python3
"""Compares aatc_rival.py or kvtc_palu_rival.py with `kvproof compare`: check_rivals.py aatc|kvtc_palu KVPROOF FOLDER...

Every folder's pairs NAME_test and NAME_calib are used whose calibration has projections. Both compute the mean error of
the same systems by different code, so they must agree to a part in 10^9: a code that falls on the other side of an edge
would show. Of KVTC and PALU the stored bits must be the same, too, DEFLATE's included (Debian has one zlib, which Python
links as well). Then the rival's numbers must tell apart what an option or more bits change, or the comparison would not
see the loss of that. Exits 77 (skipped) without numpy or captures.
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


class Aatc:
    """Names of systems, pairs that must be told apart, and the rival's (error, stored bits or None)."""
    BASE = "aatc:2.5"
    OTHERS = ["aatc:2.5,repaired", "aatc-var:2.5", "aatc:2.5,plain", "aatc-var:4,plain,repaired"]

    def names(self, meta):
        return [self.BASE] + self.OTHERS + (["aatc:3,groups=2"] if int(meta["G"]) % 2 == 0 else [])

    def apart(self, names):
        return [(self.BASE, name) for name in names[1:]]

    def run(self, name, seen, learnt, every):
        return aatc_rival.run(name, seen, learnt, every)[0], None


class KvtcPalu:
    def names(self, meta):
        wide = min(4, int(meta["G"])) * int(meta["d_h"]) >= 96
        return ["kvtc:1.25", "kvtc:2", "kvtc:2.5", "palu:32,2", "palu:32,4"] + (["palu:96,4"] if wide else [])

    def apart(self, _):
        return [("kvtc:1.25", "kvtc:2"), ("palu:32,2", "palu:32,4")]

    def run(self, name, seen, learnt, every):
        return kvtc_palu_rival.run(name, seen, learnt, every)


def compare(program, test, calib, names, every):
    arguments = [program, "compare", test, "--calibration", calib, "--queries", f"every:{every}", "--format", "json",
                 "--quiet"]
    for name in names:
        arguments += ["--reader", name]
    out = subprocess.run(arguments, check=True, capture_output=True, text=True).stdout
    return {row["reader"]: (row["relative_error"], int(row["bits_stored"])) for row in json.loads(out)["rows"]}


def main():
    family, program = {"aatc": Aatc, "kvtc_palu": KvtcPalu}[sys.argv[1]](), sys.argv[2]
    wrong, compared = [], 0
    for folder in map(Path, sys.argv[3:]):
        for calib in sorted(folder.glob("*_calib.safetensors")):
            test = calib.with_name(calib.name.replace("_calib", "_test"))
            learnt = aatc_rival.read_safetensors(calib)
            if not test.exists() or "layers.0.wk" not in learnt[1]:
                continue
            names = family.names(learnt[0])
            seen = aatc_rival.read_safetensors(test)
            every = max(1, seen[1]["layers.0.q"].shape[1] // 16)
            ours = compare(program, str(test), str(calib), names, every)
            rival = {name: family.run(name, seen, learnt, every) for name in names}
            for name in names:
                compared += 1
                error, bits = rival[name]
                if not abs(ours[name][0] - error) <= CLOSE * error or bits not in (None, ours[name][1]):
                    wrong.append(f"{test.name}: {name}: {ours[name]!r} and {rival[name]!r}")
            for one, other in family.apart(names):
                (error, bits), (other_error, other_bits) = rival[one], rival[other]
                if not abs(other_error - error) > 1e3 * CLOSE * other_error or (bits is not None and other_bits <= bits):
                    wrong.append(f"{test.name}: {other} would not be told from {one}")
    if not compared:
        print("SKIPPED: found no captures with projections")
        sys.exit(77)
    for line in wrong:
        print(line)
    print(f"{compared} systems compared, {len(wrong)} differences")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
