"""kvproof's second checker: re-decides certificates with the Python standard library alone.

usage: python3 proofs/checker/check.py [--registry claims.tsv] FILE...

One answer per file on stdout (docs/certificates.md); exit status 0 if none is INVALID, 1 if one is, 2 for bad usage.
"""
import os
import sys

from certificate import Checker
from registry import RegistryError, load, load_proofs

USAGE = "usage: check.py [--registry claims.tsv] FILE..."


def main(arguments):
    registry = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "claims.tsv")
    if arguments[:1] == ["--registry"] and len(arguments) >= 2:
        registry, arguments = arguments[1], arguments[2:]
    if not arguments or any(a.startswith("--") for a in arguments):
        print(USAGE, file=sys.stderr)
        return 2
    try:
        proofs = os.path.join(os.path.dirname(registry), "coq", "checked.tsv")
        checker = Checker(load(registry), load_proofs(proofs))
    except RegistryError as error:
        print(" ".join(str(error).split()), file=sys.stderr)
        return 2
    status = 0
    for path in arguments:
        answer = checker.check(path).answer
        status |= answer.startswith("s INVALID")
        print(answer, flush=True)
    return int(status)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
