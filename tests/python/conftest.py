"""What the tests of the Python module share. KVPROOF is the executable of the command line."""

import json
import os
import pathlib
import subprocess

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

ROOT = pathlib.Path(__file__).resolve().parents[2]
CAPTURES = ROOT / "tests/data/captures"
DTYPES = {"F32": np.float32, "F16": np.float16, "F64": np.float64, "BF16": np.uint16}

# the same cases every time, and no verdict about how fast a machine is
settings.register_profile(
    "kvproof", derandomize=True, deadline=None, suppress_health_check=list(HealthCheck), database=None
)
settings.load_profile("kvproof")


def safetensors(path):
    """The tensors of a file as read-only views; bfloat16 as uint16."""
    data = path.read_bytes()
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    header.pop("__metadata__", None)
    return {
        name: np.frombuffer(data[8 + size :][slice(*entry["data_offsets"])], DTYPES[entry["dtype"]]).reshape(
            entry["shape"]
        )
        for name, entry in header.items()
    }


def layers(path, part):
    """One part of all layers of a capture, [L, heads, rows, d_h]."""
    tensors = safetensors(path)
    count = sum(name.endswith(".k") for name in tensors)
    return np.stack([tensors[f"layers.{layer}.{part}"] for layer in range(count)])


class Capture:
    def __init__(self, name):
        self.path = CAPTURES / name
        self.queries, self.keys, self.values = (layers(self.path, part) for part in "qkv")


@pytest.fixture(scope="session")
def tested():
    return Capture("byte64_test.safetensors")


@pytest.fixture(scope="session")
def calibration():
    return Capture("byte64_calib.safetensors")


@pytest.fixture(scope="session")
def cli():
    """Runs the command line and gives what it prints, as JSON."""
    executable = os.environ["KVPROOF"]

    def run(*arguments, status=0):
        done = subprocess.run(
            [executable, *map(str, arguments), "--format", "json"], capture_output=True, text=True
        )
        assert done.returncode == status, done.stderr
        return json.loads(done.stdout)

    return run


@pytest.fixture
def rng():
    return np.random.default_rng(20260101)


@pytest.fixture
def small_cache(rng):
    """Keys and values [2, 40, 16], queries [4, 5, 16]."""
    keys, values = rng.normal(size=(2, 2, 40, 16))
    return keys, values, rng.normal(size=(4, 5, 16))
