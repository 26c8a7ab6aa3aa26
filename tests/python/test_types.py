"""The stubs say what the native half is, and the package agrees with its own types."""

import inspect
import pathlib
import subprocess
import sys

import pytest

import kvproof
from conftest import ROOT


def mypy(*arguments, cwd):
    # Debian's own python: mypy is no part of the venv's packages, but is seen from it
    return subprocess.run([sys.executable, "-m", *arguments], cwd=cwd, capture_output=True, text=True)


def test_stubs_match_the_module(tmp_path):
    done = mypy("mypy.stubtest", "kvproof._kvproof", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_wrong_stub_is_told_apart(tmp_path):
    package = tmp_path / "kvproof"
    package.mkdir()
    for path in pathlib.Path(kvproof.__file__).parent.glob("*.py*"):
        (package / path.name).write_bytes(path.read_bytes())
    stub = package / "_kvproof.pyi"
    stub.write_text(stub.read_text().replace("def gaussian_table(", "def gauss_table("))
    done = subprocess.run(
        [sys.executable, "-m", "mypy.stubtest", "kvproof._kvproof"],
        cwd=tmp_path,
        env={"MYPYPATH": str(tmp_path), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
    )
    assert done.returncode != 0


def test_the_package_and_its_example_are_typed(tmp_path):
    done = mypy("mypy", "--strict", "--cache-dir", tmp_path, ROOT / "python/kvproof", ROOT / "python/examples", cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name", sorted(set(kvproof.__all__) - {"Calibration", "__version__"}))
def test_everything_public_is_documented_and_annotated(name):
    thing = getattr(kvproof, name)
    assert inspect.getdoc(thing)
    if inspect.isfunction(thing):
        signature = inspect.signature(thing)
        assert signature.return_annotation is not inspect.Signature.empty
        assert all(each.annotation is not inspect.Parameter.empty for each in signature.parameters.values())
