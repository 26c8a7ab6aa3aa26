"""The stubs say what the native half is, and the package agrees with its own types."""

import ast
import inspect
import os
import pathlib
import re
import subprocess
import sys

import pytest

import kvproof
from kvproof import _kvproof
from conftest import ROOT


def mypy(*arguments, cwd, **environment):
    command = [sys.executable, "-m", *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, env=os.environ | environment, capture_output=True, text=True)


STUB = pathlib.Path(_kvproof.__file__).with_name("_kvproof.pyi").read_text(encoding="utf-8")


# what pybind11 makes of every class
ALLOWED = """
kvproof._kvproof.Cache
kvproof._kvproof.CacheOptions
kvproof._kvproof.Table
kvproof._kvproof.Table.__init__
"""


def stubtest(folder, stub):
    """Runs stubtest on a copy of the package with this stub."""
    package = folder / "kvproof"
    package.mkdir()
    for path in pathlib.Path(kvproof.__file__).parent.glob("*.*"):
        (package / path.name).write_bytes(path.read_bytes())
    (package / "_kvproof.pyi").write_text(stub)
    (folder / "allowed").write_text(ALLOWED)
    return mypy(
        "mypy.stubtest", "kvproof._kvproof", "--allowlist", "allowed", cwd=folder, MYPYPATH=str(folder)
    )


def test_stubs_match_the_module(tmp_path):
    done = stubtest(tmp_path, STUB)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_wrong_stub_is_told_apart(tmp_path):
    done = stubtest(tmp_path, STUB.replace("def gaussian_table(", "def gauss_table("))
    assert done.returncode == 1 and "gauss_table" in done.stdout


def parameters(function):
    return [each.arg for each in function.args.args]


def stub_signatures(stub):
    """The parameters of each function and method in a stub, by its name."""
    out = {}
    for node in ast.parse(stub).body:
        if isinstance(node, ast.FunctionDef):
            out[node.name] = parameters(node)
        elif isinstance(node, ast.ClassDef):
            methods = [
                each for each in node.body if isinstance(each, ast.FunctionDef) and not each.decorator_list
            ]
            out |= {f"{node.name}.{each.name}": parameters(each) for each in methods}
    return out


def module_signatures(name):
    """What pybind11 writes into the docstring: a line for each overload."""
    thing = _kvproof
    for part in name.split("."):
        thing = getattr(thing, part)
    lines = re.findall(rf"^(?:\d+\. )?({thing.__name__}\(.*\) -> .*)$", thing.__doc__, re.M)
    assert lines
    signatures = [parameters(ast.parse(f"def {line}: ...").body[0]) for line in lines if "*args" not in line]
    assert all(each == signatures[0] for each in signatures)
    return signatures[0]


def differing(stub):
    return [name for name, expected in stub_signatures(stub).items() if module_signatures(name) != expected]


def test_stubs_have_the_parameters_of_the_module():
    assert len(stub_signatures(STUB)) > 10 and differing(STUB) == []
    assert differing(STUB.replace("budget: int", "count: int")) == ["choose_depths"]


def test_the_package_and_its_example_are_typed(tmp_path):
    done = mypy(
        "mypy",
        "--strict",
        "--cache-dir",
        tmp_path,
        ROOT / "python/kvproof",
        ROOT / "python/examples",
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name", sorted(set(kvproof.__all__) - {"Calibration", "__version__"}))
def test_everything_public_is_documented_and_annotated(name):
    thing = getattr(kvproof, name)
    assert inspect.getdoc(thing)
    if inspect.isfunction(thing):
        signature = inspect.signature(thing)
        assert signature.return_annotation is not inspect.Signature.empty
        assert all(each.annotation is not inspect.Parameter.empty for each in signature.parameters.values())
