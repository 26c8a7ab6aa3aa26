"""Every example in the package and in docs/python.md prints what stands there."""

import doctest
import importlib
import pathlib
import pkgutil
import re
import subprocess
import sys

import numpy as np
import pytest

import kvproof
from conftest import ROOT

MODULES = ["kvproof", *(f"kvproof.{each.name}" for each in pkgutil.iter_modules(kvproof.__path__))]


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name):
    found = doctest.testmod(importlib.import_module(name))
    assert found.failed == 0


def test_the_docstrings_hold_examples():
    count = sum(doctest.testmod(importlib.import_module(name)).attempted for name in MODULES)
    assert count >= 10


def run_page(text, folder):
    """Runs the py blocks of a page in order, in a folder of its own; gives how many examples failed and were tried."""
    blocks = re.findall(r"^```py\n(.*?)^```$", text, re.M | re.S)
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, "docs/python.md", None, 0)
    return doctest.DocTestRunner(verbose=False).run(test)


def test_the_page(monkeypatch):
    monkeypatch.chdir(ROOT)  # examples name files of the checkout
    text = (ROOT / "docs/python.md").read_text(encoding="utf-8")
    failed, attempted = run_page(text, ROOT)
    assert failed == 0 and attempted >= 10
    broken, _ = run_page(text.replace("array([3, 2, 0]", "array([3, 1, 1]"), ROOT)
    assert broken == 1


def run_example(*arguments):
    example = ROOT / "python/examples/certify_cache.py"
    return subprocess.run([sys.executable, example, *arguments], capture_output=True, text=True)


def test_the_example(tmp_path):
    made_up = run_example()
    assert made_up.returncode == 0, made_up.stderr
    head, *rows, _ = made_up.stdout.splitlines()
    assert head.split() == [
        "reader",
        "mean",
        "error",
        "mean",
        "sharp",
        "mean",
        "bound",
        "reads",
        "violations",
    ]
    for row in rows:
        _, error, sharp, bound, _, violations = row.split()
        assert float(error) <= float(sharp) <= float(bound) and violations == "0"
    assert len(rows) == 4
    page = (ROOT / "docs/python.md").read_text(encoding="utf-8")
    assert made_up.stdout in page
    rng = np.random.default_rng(1)
    path = tmp_path / "cache.npz"
    keys, values = rng.normal(size=(2, 2, 20, 8)).astype(np.float32)
    np.savez(path, keys=keys, values=values, queries=rng.normal(size=(2, 2, 8)).astype(np.float32))
    assert run_example(path).returncode == 0
    assert pathlib.Path(path).exists()
