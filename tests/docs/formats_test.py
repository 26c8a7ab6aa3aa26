#!/usr/bin/env python3
"""The parsers that the format pages show, on files that kvproof has just written, against what it says itself.

usage: formats_test.py KVPROOF ROOT
"""
import json
import math
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

kvproof, root = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
captures = root / "tests" / "data" / "captures"
capture = [captures / "byte64_test.safetensors", "--calibration", captures / "byte64_calib.safetensors"]


def parsers(page):
    """{heading: code} of the Python blocks of a page; each is short enough to be read."""
    found, heading = {}, ""
    for title, code in re.findall(r"^#+ ([^\n]*)$|^```python\n(.*?)^```$", (root / "docs" / page).read_text(encoding="utf-8"), re.M | re.S):
        heading = title or heading
        if code:
            assert code.count("\n") <= 20, f"{page}, {heading}: {code.count(chr(10))} lines"
            found[heading] = code
    return found


def loaded(page, heading):
    names = {}
    exec(parsers(page)[heading], names)
    return names


def said(*words):
    return subprocess.run([kvproof, *words], capture_output=True, text=True, check=True).stdout


def near(a, b, tolerance=1e-12):
    return abs(a - b) <= tolerance * max(abs(a), abs(b))


def safetensors_and_rows():
    """|o|^2 of attention computed from the parsed tensors is the column output_sq; the rows add up to the report."""
    report = json.loads(said("certify", *capture, "--layers", "1,3", "--rows", "rows.csv", "--format", "json"))
    tensors, shape = loaded("formats.md", "safetensors")["tensors"](capture[0]), report["shape"]
    (H, Tq, d), q = tensors["layers.1.q"]
    (G, T, _), k = tensors["layers.1.k"]
    v = tensors["layers.1.v"][1]
    assert [H, G, d, T, Tq] == [shape[name] for name in ("H", "G", "d_h", "T", "Tq")]
    rows = {(int(row["head"]), int(row["position"])): row for row in
            __import__("csv").DictReader(open("rows.csv", newline="")) if row["layer"] == "1"}
    for h, i in (0, 0), (3, Tq - 1):
        g, position = h * G // H, T - Tq + i
        query = q[(h * Tq + i) * d:][:d]
        logits = [sum(a * b for a, b in zip(query, k[(g * T + j) * d:])) / math.sqrt(d) for j in range(position + 1)]
        weights = [math.exp(z - max(logits)) for z in logits]
        out = [sum(w * v[(g * T + j) * d + c] for j, w in enumerate(weights)) / sum(weights) for c in range(d)]
        assert near(sum(x * x for x in out), float(rows[h, position]["output_sq"])), (h, i)
    for layer in report["per_layer"]:
        count, mean, largest, violations = loaded("formats.md", "Rows of certify")["worst"]("rows.csv")[layer["layer"]]
        assert count == layer["observations"] and violations == layer["violations"]
        assert near(mean, layer["error_sq"]["mean"]) and largest == layer["error_sq"]["max"]


def npy_and_codebooks():
    """The table as npy is the table as JSON, rounded; codes nest; Q_8 of a number is between its boundaries."""
    pathlib.Path("lloyd.json").write_text(said("table", "lloyd", "--format", "json"))
    with open("lloyd.npy", "wb") as file:
        subprocess.run([kvproof, "table", "lloyd", "--format", "npy"], stdout=file, check=True)
    book = loaded("formats.md", "Codebooks")
    levels = book["read"]("lloyd.json")
    shape, fortran, values = loaded("formats.md", "npy")["array"]("lloyd.npy")
    flat = [struct.unpack("<f", struct.pack("<f", c))[0] for _, centroids in levels for c in centroids]
    assert shape == (511,) and not fortran and values == flat
    for z in (-9.0, -1.0, -0.3, 0.0, 0.25, 1.0, 7.5):
        code = book["encode"](levels, z)
        assert len(code) == 8
        for t in range(9):
            centroids = levels[t][1]
            assert book["decode"](levels, code[:t]) == min(centroids, key=lambda c: (abs(c - z), -c)), (z, t)
    claim = json.loads(said("verify", "readkv.lemma7.q2.exact", "--format", "json"))["claims"][0]
    assert near(book["decode"](levels, book["encode"](levels, 1.0)[:2]), float(claim["enclosure"]["lower"]))
    for name, fortran in ("ok_control", False), ("ok_fortran", True), ("ok_version2", False):
        shape, order, values = loaded("formats.md", "npy")["array"](root / "tests" / "data" / "bad" / f"{name}.npy")
        assert order == fortran and math.prod(shape) == len(values)


def verdicts_and_certificates():
    """The parsed results are the printed table, and each parsed certificate has the verdict and the hash of its claim."""
    text = said("verify", "readkv.lemma7.*")
    printed = {line.split()[0]: line.split()[1] for line in text.splitlines()[1:text.splitlines().index("")]}
    parsed = list(loaded("formats.md", "Results of verify")["verdicts"]("out"))
    assert {name: verdict for name, verdict, *_ in parsed} == printed and len(parsed) > 30
    assert not any(differs for *_, differs, _ in parsed)
    read = loaded("certificates.md", "A file")["read"]
    hashes = {claim["certificate"]: claim["sha256"] for claim in json.load(open("out/results.json"))["claims"]}
    for name, verdict, _, _, certificate in parsed:
        header, uses, records = read("out/" + certificate)
        assert header["claim"] == name and header["verdict"] == verdict
        assert all(pathlib.Path(f"out/certificates/{used}.cert").read_text().endswith(f"end {digest}\n") for used, digest in uses)
        assert pathlib.Path("out/" + certificate).read_text().endswith(f"end {hashes[certificate]}\n")


def blocks():
    """The sums of the blocks over the samples are the printed means."""
    report = json.loads(said("montecarlo", "remainder", "--trials", "70000", "--resume", "blocks.csv", "--format", "json"))
    said("montecarlo", "remainder", "--trials", "200000", "--resume", "blocks.csv")
    whole = json.loads(said("montecarlo", "remainder", "--trials", "200000", "--format", "json"))
    assert report["task"] == whole["task"]
    pathlib.Path("parser.py").write_text(parsers("montecarlo.md")["The file of `--resume`"])
    printed = subprocess.run([sys.executable, "parser.py", "blocks.csv"], capture_output=True, text=True, check=True).stdout
    block = int(pathlib.Path("blocks.csv").read_text().splitlines()[1].split(",")[2])
    exact = json.loads(said("montecarlo", "remainder", "--trials", str(200000 // block * block), "--format", "json"))
    for name, samples, total in (line.split() for line in printed.splitlines()):
        metric = exact["metrics"][name]
        scale = 0 if "range" not in metric else math.frexp(max(map(abs, metric["range"])))[1] - 48
        assert metric["samples"] == int(samples) and near(math.ldexp(int(total), scale) / int(samples), metric["mean"]), name
    assert len(printed.splitlines()) == len(exact["metrics"])


def cells():
    """The parsed cells are the results that are printed as JSON."""
    family = ["probe", "pointer:2", "--bits", "1..3", "--probes", "0..2", "--resume", "cells.jsonl", "--format", "json"]
    results = json.loads(said(*family))["results"]
    parsed = {(*key, kind): (low, high) for key, kind, low, high in loaded("formats.md", "Cells of probe")["cells"]("cells.jsonl")}
    for cell in results:
        key = cell["class"], cell["bits"], cell["probes"]
        risk, bracket = cell["deterministic"]["risk"], cell["randomised"]
        assert parsed.pop((*key, "deterministic")) == (risk, risk), key
        ends = bracket["lower"], bracket["upper"]
        assert parsed.pop((*key, "randomised")) == ends, key
    assert not parsed and len(results) > 20


def main():
    pages = ("formats.md", "certificates.md", "montecarlo.md")
    shown = sorted(f"{page}: {heading}" for page in pages for heading in parsers(page))
    assert len(shown) == 8, f"a parser without a test: {shown}"
    for test in safetensors_and_rows, npy_and_codebooks, verdicts_and_certificates, blocks, cells:
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            test()
            os.chdir(root)


main()
