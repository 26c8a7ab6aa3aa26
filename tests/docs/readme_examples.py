#!/usr/bin/env python3
"""Runs every `$ ./run ...` example of README.md with the built kvproof and compares what it prints.

usage: readme_examples.py KVPROOF README.md
"""
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile


def examples(text):
    """(command, expected output) of each console block that holds one command."""
    for block in re.findall(r"^```console\n(.*?)^```$", text, re.M | re.S):
        first, _, rest = block.partition("\n")
        assert first.startswith("$ ./run "), f"a console block begins with {first!r}"
        yield first[len("$ ./run "):], rest


def main(kvproof, readme):
    failed = count = 0
    with tempfile.TemporaryDirectory() as folder:
        # examples name files of the checkout, but write elsewhere
        (pathlib.Path(folder) / "tests").symlink_to(pathlib.Path(readme).resolve().parent / "tests")
        for command, expected in examples(pathlib.Path(readme).read_text(encoding="utf-8")):
            count += 1
            run = subprocess.run([kvproof, *shlex.split(command)], cwd=folder, capture_output=True, text=True)
            if run.stdout != expected:
                failed += 1
                print(f"`{command}` prints\n{run.stdout}README says\n{expected}")
    assert count > 0, "README.md shows no example"
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
