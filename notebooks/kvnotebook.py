"""What the notebooks share: results of kvproof, sentences that must be true, and one look for all plots.

Nothing is computed here about the papers: results come from the command line, as JSON, and from the module kvproof.
"""
import csv
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
from fractions import Fraction

import IPython.display
import matplotlib
import matplotlib.pyplot as plt
import numpy as np

root = pathlib.Path(__file__).resolve().parent.parent
sys.path += map(str, root.glob("build/venv/lib/python3*/site-packages"))  # where ./run python puts the module

try:
    import kvproof
except ModuleNotFoundError as missing:
    raise ModuleNotFoundError(f"{missing}: `./run notebooks` builds it and runs all notebooks") from None
executable = os.environ.get("KVPROOF", str(root / "build" / "release" / "kvproof"))
evaluated, calibration = (f"tests/data/captures/byte64_{split}.safetensors" for split in ("test", "calib"))
captured = f"{evaluated} --calibration {calibration}"

# Okabe and Ito's colours: told apart by readers who see red and green alike, and in print by their lightness.
blue, orange, green, vermilion, sky, purple, grey, black = (
    "#0072B2", "#E69F00", "#009E73", "#D55E00", "#56B4E9", "#CC79A7", "#7F7F7F", "#000000")

matplotlib.rcParams.update({
    "figure.dpi": 110, "figure.constrained_layout.use": True, "svg.fonttype": "none", "svg.hashsalt": "kvproof",
    "font.size": 12, "axes.titlesize": 13, "axes.labelsize": 12, "legend.fontsize": 11, "legend.frameon": False,
    "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True, "grid.color": "#E4E4E4",
    "axes.axisbelow": True, "lines.linewidth": 2, "lines.markersize": 6, "errorbar.capsize": 3})


def result(command):
    """The JSON that `kvproof COMMAND --format json` prints, run at the root of the repository."""
    with tempfile.TemporaryDirectory() as out:
        words = [executable, *shlex.split(command), "--format", "json", "--quiet"]
        if words[1] == "verify":
            words += ["--out", os.path.join(out, "out")]
        run = subprocess.run(words, cwd=root, capture_output=True, text=True)
    if run.returncode != 0:
        raise RuntimeError(f"kvproof {command}: exit status {run.returncode}: {run.stderr.strip()}")
    return json.loads(run.stdout)


def certify(command):
    """What `kvproof certify COMMAND` says, and its rows as columns of numbers."""
    with tempfile.TemporaryDirectory() as out:
        rows = os.path.join(out, "rows.csv")
        said = result(f"certify {command} --rows {shlex.quote(rows)}")
        with open(rows, newline="") as file:
            table = list(csv.DictReader(file))
    return said, {name: [float(row[name]) for row in table] for name in table[0]}


def layer(path, number):
    """Queries, keys and values of one layer of a capture, as the module takes them (bfloat16 as the bits of uint16)."""
    data = (root / path).read_bytes()
    start = 8 + int.from_bytes(data[:8], "little")
    header, arrays = json.loads(data[8:start]), []
    for part in "qkv":
        entry = header[f"layers.{number}.{part}"]
        dtype = {"F32": "<f4", "F16": "<f2", "BF16": "<u2"}[entry["dtype"]]
        begin, end = (start + offset for offset in entry["data_offsets"])
        arrays.append(np.frombuffer(data[begin:end], dtype).reshape(entry["shape"]))
    return arrays


def between(claim):
    """{term: (low, high)} of each chain LOW < TERM < HIGH between numbers in a claim's formula, exact."""
    pattern = r"\(< ([-0-9./]+) ([a-z][\w.-]*|\([^()]*\)) ([-0-9./]+)\)"
    return {term: (Fraction(low), Fraction(high)) for low, term, high in re.findall(pattern, claim["formula"])}


def budget(small, full):
    """Trials of an experiment: few when the notebooks are only tried out, more with KVPROOF_NOTEBOOKS=full."""
    return full if os.environ.get("KVPROOF_NOTEBOOKS") == "full" else small


def say(sentence, holds=True):
    """Shows a sentence about results, and fails where it does not hold: no text outlives the numbers it tells."""
    if not holds:
        raise AssertionError(f"not so any more: {sentence}")
    IPython.display.display(IPython.display.Markdown(sentence))


def show(figure, name):
    """Shows a figure; with KVPROOF_FIGURES, a folder, it is kept there too, as NAME.svg and NAME.png for talks."""
    folder = os.environ.get("KVPROOF_FIGURES")
    if folder:
        figure.savefig(os.path.join(folder, name + ".svg"), metadata={"Date": None})
        figure.savefig(os.path.join(folder, name + ".png"), dpi=200)
    IPython.display.display(figure)
    plt.close(figure)


def interval(metric):
    """A metric's mean, and the distances to the ends of its interval, as matplotlib's error bars take them."""
    return metric["mean"], [metric["mean"] - metric["lower"], metric["upper"] - metric["mean"]]
