#!/usr/bin/env python3
"""Runs the console examples of a page as a reader would and compares what they print.

usage: examples.py check|write KVPROOF PAGE...

A block ```console holds commands, each after "$ " (lines after "> " go on with it), and below each what it prints on
stdout. Those of a page run in one folder, in order, by bash; `./run` is KVPROOF there, `tests` and `docs` are those of the
checkout, `proofs` is a copy to which the page's block ```tsv has been added as a row of claims.tsv. A command that fails
is an error. `write` puts what is printed now into the page.
"""
import difflib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

root = pathlib.Path(__file__).resolve().parent.parent.parent
BLOCK = re.compile(r"(?<=^```console\n)(.*?)(?=^```$)", re.M | re.S)
COMMAND = re.compile(r"^\$ (.*\n(?:> .*\n)*)", re.M)


def prepare(folder, kvproof, page):
    """What a reader has at the root of a checkout after the first ./run."""
    (folder / "run").write_text(f'#!/bin/bash\nexec {kvproof} "$@"\n')
    (folder / "run").chmod(0o755)
    for name in ("tests", "docs"):
        (folder / name).symlink_to(root / name)
    shutil.copytree(root / "proofs", folder / "proofs")
    for row in re.findall(r"^```tsv\n(.*?)^```$", page, re.M | re.S):
        with open(folder / "proofs" / "claims.tsv", "a", encoding="utf-8") as registry:
            registry.write(row)


def run(block, folder, failures):
    """The block as it should read."""
    out = ""
    for command in COMMAND.finditer(block):
        words = command[1].replace("\n> ", "\n")
        # /usr/bin first: the examples' python3 is Debian's, which has numpy
        done = subprocess.run(["bash", "-c", words], cwd=folder, capture_output=True, text=True,
                              env=os.environ | {"PATH": "/usr/bin:/bin"})
        if done.returncode != 0:
            failures.append(f"`{words.strip()}` has exit status {done.returncode}: {done.stderr}")
        out += command[0] + done.stdout
    return out


def main(mode, kvproof, pages):
    status = 0
    for path in map(pathlib.Path, pages):
        page, failures = path.read_text(encoding="utf-8"), []
        with tempfile.TemporaryDirectory() as folder:
            prepare(pathlib.Path(folder), os.path.abspath(kvproof), page)
            made = BLOCK.sub(lambda block: run(block[0], pathlib.Path(folder), failures), page)
        if not BLOCK.search(page):
            failures.append("shows no example")
        if mode == "write":
            path.write_text(made, encoding="utf-8")
        elif made != page:
            failures += difflib.unified_diff(page.splitlines(), made.splitlines(), path.name, "now", lineterm="")
        if failures:
            print(f"{path}:", *failures, sep="\n")
            status = 1
    return status


if __name__ == "__main__":
    if len(sys.argv) < 4 or sys.argv[1] not in ("check", "write"):
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
