#!/usr/bin/env python3
"""The notebooks as they are kept: without outputs, and without results in their prose.

usage: kept_test.py NOTEBOOKS

A number that was measured stands in a sentence that a cell makes (`say`), so that it cannot outlive the result. Afterwards
two mutants of each notebook, one with an output and one with a number in its prose, must be refused.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

# What results look like: two digits after the point, a percentage, a power of ten. Sections (3.1, D.1) have one digit.
RESULT = re.compile(r"\d\.\d\d|\d ?%|\d[eE][-+]?\d|10\^")


def problems(folder):
    """One line for each thing that a kept notebook must not have; at least four notebooks there must be."""
    paths = sorted(folder.glob("*.ipynb"))
    found = [] if len(paths) >= 4 else [f"{len(paths)} notebooks, expected four"]
    check = subprocess.run([sys.executable, "-B", folder / "execute.py", "check"], capture_output=True, text=True)
    found += check.stdout.splitlines() or ["execute.py check fails: " + check.stderr] if check.returncode else []
    for path in paths:
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            if cell["cell_type"] == "markdown" and (number := RESULT.search("".join(cell["source"]))):
                found.append(f"{path.name}: {number[0]!r} in the prose: a result belongs into a sentence that a cell makes")
    return found


def with_output(cell):
    cell["outputs"] = [{"name": "stdout", "output_type": "stream", "text": ["stale\n"]}]


def with_number(cell):
    cell["source"] = cell["source"] + ["\n", "The factor is 2.37."]


def main(folder):
    found = problems(folder)
    for path in sorted(folder.glob("*.ipynb")):
        for kind, change in ("code", with_output), ("markdown", with_number):
            with tempfile.TemporaryDirectory() as place:
                copy = pathlib.Path(shutil.copytree(folder, pathlib.Path(place) / "notebooks")) / path.name
                book = json.loads(copy.read_text(encoding="utf-8"))
                change(next(cell for cell in book["cells"] if cell["cell_type"] == kind))
                copy.write_text(json.dumps(book, indent=1, sort_keys=True, ensure_ascii=False) + "\n", encoding="utf-8")
                if not any(line.startswith(path.name) for line in problems(copy.parent)):
                    found.append(f"{path.name} {change.__name__} was not refused")
    print("\n".join(found))
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
