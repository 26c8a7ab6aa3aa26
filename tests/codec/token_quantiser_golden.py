#!/usr/bin/env python3
"""The golden numbers of AATC's quantiser: token_quantiser_golden.py > tests/data/token_quantiser.tsv, or ... check.

Each line: b, alpha s_c, h, then code and level as printed (V-B, step 2b), then repaired. All numbers are exact in binary64
and in the decimals that are written. For each b: every edge and middle of a cell as printed where there are few, else the
outer ones and those around 0; the ends; and numbers a hair beside the edges. `check` fails where the file is another one.
"""
import sys
from fractions import Fraction
from math import floor
from pathlib import Path

FILE = Path(__file__).resolve().parents[1] / "data/token_quantiser.tsv"
HEADER = "bits\treach\th\tcode.printed\tlevel.printed\tcode.repaired\tlevel.repaired"


def decimal(x):
    """A dyadic rational in full."""
    places = 0
    while x.denominator != 1 << places:
        places += 1
    digits = f"{abs(x.numerator) * 5**places:0{places + 1}d}"
    text = f"{digits[:len(digits) - places]}.{digits[len(digits) - places:]}" if places else digits
    return ("-" if x < 0 else "") + text


def clamp(x, low, high):
    return min(max(x, low), high)


def quantise(bits, reach, h):
    """Code and level as printed, then repaired."""
    step = 2 * reach / 2**bits
    low = -Fraction(2**bits, 2)
    printed = clamp(Fraction(floor(h / step + Fraction(1, 2))), low, -low - 1)
    repaired = clamp(Fraction(floor(h / step)), low, -low - 1)
    return printed, step * printed, repaired, step * (repaired + Fraction(1, 2))


def inputs(bits, reach):
    step = 2 * reach / 2**bits
    grid = range(-2 * 2**bits, 2 * 2**bits + 1) if bits <= 3 else [
        i for edge in (-2 * 2**bits, 0, 2 * 2**bits) for i in range(edge - 4, edge + 5) if abs(i) <= 2 * 2**bits]
    for i in grid:  # quarters of a cell
        for beside in (-1, 0, 1):
            h = step * i / 4 + beside * reach / 2**30
            if abs(h) <= reach:
                yield h


def lines():
    yield HEADER
    for bits in (0, 1, 2, 3, 4, 8, 16):
        for reach in (Fraction(1), Fraction(5, 8)):
            for h in inputs(bits, reach):
                yield "\t".join([str(bits)] + [decimal(x) for x in (reach, h, *quantise(bits, reach, h))])


def main(arguments):
    text = "\n".join(lines()) + "\n"
    if arguments == []:
        print(text, end="")
        return 0
    if arguments != ["check"]:
        print(__doc__.splitlines()[0], file=sys.stderr)
        return 2
    if FILE.read_text() != text:
        print(f"{FILE.name} is not what this program writes")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
