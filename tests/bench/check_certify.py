#!/usr/bin/env python3
"""Compares certify_rival.py with `kvproof certify`, number by number: check_certify.py KVPROOF [FOLDER...].

The first folder that has byte64's captures is used. Both compute the same columns of the same observations, by
different code in different languages, so they must agree: to a part in 10^9, and to 1 % in the sharp bound, which each
side may round up in its own way. kvproof's bounds may lie above numpy's numbers, never below them by more than
rounding. Then a number of each column is moved by a little more than that, and the comparison must see it. Exits 77
(skipped) without numpy or captures.
"""
import csv
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import numpy  # noqa: F401
except ImportError:
    print("SKIPPED: python3-numpy is not installed")
    sys.exit(77)

CLOSE = 1e-9
LIMITS = {"error_sq": 4e-9, "A_K": CLOSE, "S_K": CLOSE, "A_V": CLOSE, "S_V": CLOSE, "kappa_K": CLOSE,
          "kappa_V": CLOSE, "centre_norm_sq": CLOSE, "bound": CLOSE, "sharp_bound": 0.01}
KEYS = ("layer", "head", "position")


def rows_of(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def differences(ours, rival):
    if not ours or [[row[key] for key in KEYS] for row in ours] != [[row[key] for key in KEYS] for row in rival]:
        return ["the observations are not the same, or none"]
    out = []
    for a, b in zip(ours, rival, strict=True):
        for column, limit in LIMITS.items():
            x, y = float(a[column]), float(b[column])
            if not abs(x - y) <= limit * abs(y):
                out.append(f"{column} of {[a[key] for key in KEYS]}: {x} and {y}")
    return out


def unseen_changes(ours, rival):
    out = []
    for column, limit in LIMITS.items():
        for by in (1 + 3 * limit, 1 - 3 * limit):
            changed = [dict(row) for row in rival]
            changed[len(changed) // 2][column] = repr(float(changed[len(changed) // 2][column]) * by)
            if len(differences(ours, changed)) != 1:
                out.append(f"a changed {column} was not seen")
    if not differences(ours[1:], rival):
        out.append("a missing row was not seen")
    return out


def main():
    program = sys.argv[1]
    folders = [Path(folder) for folder in sys.argv[2:]]
    folder = next((f for f in folders if (f / "byte64_test.safetensors").exists()), None)
    if folder is None:
        print("SKIPPED: found no byte64_test.safetensors")
        sys.exit(77)
    test, calib = (str(folder / f"byte64_{part}.safetensors") for part in ("test", "calib"))
    every = "16" if (folder / "byte64_test.safetensors").stat().st_size < 1 << 20 else "64"
    with tempfile.TemporaryDirectory() as scratch:
        table, ours, rival = (str(Path(scratch) / name) for name in ("table.json", "ours.csv", "rival.csv"))
        with open(table, "w") as file:
            subprocess.run([program, "table", "lloyd", "--format", "json"], check=True, stdout=file)
        subprocess.run([program, "certify", test, "--calibration", calib, "--queries", "every:" + every, "--rows", ours,
                        "--quiet"], check=True, stdout=subprocess.DEVNULL)
        with open(rival, "w") as file:
            script = Path(__file__).with_name("certify_rival.py")
            subprocess.run([sys.executable, "-B", script, test, table, "--calibration", calib, "--every", every],
                           check=True, stdout=file)
        ours, rival = rows_of(ours), rows_of(rival)
    wrong = differences(ours, rival)
    wrong = wrong or unseen_changes(ours, rival)
    for line in wrong:
        print(line)
    print(f"\n{len(ours)} observations, {len(LIMITS)} columns compared, {len(wrong)} differences")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
