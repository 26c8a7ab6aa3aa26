#!/usr/bin/env python3
"""Compares montecarlo_rival.py with `kvproof montecarlo remainder`: check_montecarlo.py KVPROOF.

Both average the same metrics over draws of their own, so their means must agree within five standard deviations of
the difference. Then a mean moved by twelve must be seen. Exits 77 (skipped) without numpy.
"""
import json
import math
import subprocess
import sys

try:
    import numpy
except ImportError:
    print("SKIPPED: python3-numpy is not installed")
    sys.exit(77)

import montecarlo_rival

TRIALS = 40000
CASES = ((64, 0.25), (3, 1.0))


def differences(ours, rival, deviations):
    """The metrics whose means are further apart than five standard deviations of both averages."""
    return [name for name, values in rival.items()
            if abs(ours[name] - values.mean()) > 5 * deviations[name] * math.sqrt(2 / TRIALS)]


def main():
    wrong = []
    for tokens, size in CASES:
        run = subprocess.run([sys.argv[1], "montecarlo", "remainder", "--trials", str(TRIALS), "--set",
                              f"tokens={tokens},size={size}", "--format", "json"], check=True, capture_output=True)
        metrics = json.loads(run.stdout)["metrics"]
        ours = {name: metrics[name]["mean"] for name in ("sum", "largest")}
        rng = numpy.random.Generator(numpy.random.SFC64(1))
        rival = dict(zip(ours, montecarlo_rival.remainders(rng, TRIALS, tokens, size)))
        deviations = {name: values.std(ddof=1) for name, values in rival.items()}
        wrong += [f"{tokens} tokens: {name}" for name in differences(ours, rival, deviations)]
        for name in ours:
            moved = dict(rival, **{name: rival[name] + 12 * deviations[name] * math.sqrt(2 / TRIALS)})
            if differences(ours, moved, deviations) != [name]:
                wrong.append(f"a changed {name} was not seen")
    for line in wrong:
        print(line)
    print(f"{2 * len(CASES)} means compared, {len(wrong)} differences")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
