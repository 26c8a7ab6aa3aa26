"""Makes the corpus of handmade certificates in a temporary folder and compares a checker's answers with the expected ones.

usage: corpus_test.py CHECKER...       e.g. corpus_test.py python3 proofs/checker/check.py

Answers (status, id, line and code) must be equal, in the order of the files, and so must the exit statuses. The checker is also
asked for bad usage: status 2, nothing on stdout and one line on stderr.
"""
import os
import shutil
import subprocess
import sys
import tempfile

import corpus_functions
import corpus_printed
import corpus_probe
import make_corpus


def ask(checker, folder, registry, files):
    arguments = [*checker, *(["--registry", registry] if registry != "-" else []), *files]
    return subprocess.run(arguments, cwd=folder, capture_output=True, text=True, timeout=600)


def bad_usage(checker, folder):
    """Wrong calls and registries that cannot be used."""
    good, head = "small/s.chain.cert", "\t".join(make_corpus.COLUMNS) + "\n"
    registries = {"missing": None, "empty": "", "no-columns": "id\n", "short-row": head + "s.chain\n", "unbalanced": "(< 1 2",
                  "operation": "(< 1 (sin 2))", "name": "(< x 2)", "quantity": "(< lloyd.size.2 2)", "word": "(maybe)",
                  "mixed": "(forall ((n int 0 1)) (forall ((x 0 1)) (< x 2)))", "empty-range": "(forall ((x 1 0)) (< x 2))",
                  "part-inside": "(and (part (< 1 2)))", "pending-inside": "(forall ((x 0 1)) (pending y))",
                  "reader-inside": "(forall ((x 0 1)) (reader y 0 1))", "reader-short": "(reader y 0)", "reader-nameless": "(reader (y) 0 1)",
                  "reader-sign": "(reader y -1 1)", "reader-large": "(reader y 0 12345678)",
                  "bound": "(forall ((x 0 (sqrt 2))) (< x 2))", "one-term": "(< 1)", "deep": "(and " * 100000 + "(< 1 2)" + ")" * 100000,
                  **corpus_functions.BAD_FORMULAS, **corpus_printed.BAD_FORMULAS, **corpus_probe.BAD_FORMULAS}
    calls = {"no-file": [], "option": ["--what", good]}
    broken = os.path.join(folder, "broken", "coq")     # a list of checked proofs that cannot be read
    os.makedirs(broken)
    shutil.copy(os.path.join(folder, "small", "claims.tsv"), os.path.join(folder, "broken"))
    with open(os.path.join(broken, "checked.tsv"), "w", encoding="utf-8") as file:
        file.write("file\ttheorem\tsha256\taxioms\nSmall.v\tall\n")
    calls["checked"] = ["--registry", os.path.join(folder, "broken", "claims.tsv"), good]
    for name, text in registries.items():
        path = os.path.join(folder, f"registry-{name}.tsv")
        if text is not None:
            row = "\t".join(["s.chain", "-", "-", "exact", "-", "const", text, "-", "default", "", ""])
            with open(path, "w", encoding="utf-8") as file:
                file.write(head + row + "\n" if text.startswith("(") else text)
        calls[name] = ["--registry", path, good]
    failures = 0
    for name, arguments in calls.items():
        run = subprocess.run([*checker, *arguments], cwd=folder, capture_output=True, text=True, timeout=60)
        if run.returncode != 2 or run.stdout or run.stderr.count("\n") != 1:
            print(f"bad usage {name}: status {run.returncode}, {run.stdout!r}, {run.stderr[:300]!r}")
            failures += 1
    return failures


def main(checker):
    checker = [os.path.abspath(c) if os.path.exists(c) else c for c in checker]
    with tempfile.TemporaryDirectory() as folder:
        rows, failures = make_corpus.main(folder), 0
        for registry in sorted({row[0] for row in rows}):
            group = [row for row in rows if row[0] == registry]
            run = ask(checker, folder, registry, [row[1] for row in group])
            answers = run.stdout.splitlines()
            if len(answers) != len(group) or run.returncode != 1 or run.stderr:
                print(f"{registry}: {len(answers)} answers to {len(group)} files, status {run.returncode}: {run.stderr[-500:]}")
                failures += 1
            for (_, path, expected), answer in zip(group, answers):
                if answer != expected:
                    print(f"{path}: expected {expected!r}, got {answer!r}")
                    failures += 1
            valid = [row[1] for row in group if "INVALID" not in row[2]]
            if ask(checker, folder, registry, valid).returncode != 0:
                print(f"{registry}: status of valid files alone is not 0")
                failures += 1
        failures += bad_usage(checker, folder)
    print(f"corpus_test: {len(rows)} files, {failures} failures")
    return int(failures > 0)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
