"""What the module gives is what the command line prints, to the last bit."""

import csv
from fractions import Fraction

import numpy as np
import pytest

import kvproof

COLUMNS = "error_sq,output_sq,logit_error_sq,A_K,A_V,S_K,S_V,gamma_K,gamma_V,kappa_K,kappa_V,centre_norm_sq"


def assert_rows_equal(found, path, certified=True):
    """The rows of a certification against a ROWS.csv, whose decimals read back as the same doubles."""
    with open(path, newline="", encoding="ascii") as lines:
        printed = list(csv.DictReader(lines))
    assert len(printed) == found.rows.size > 0
    for name in (
        ("layer", "head", "position", "key_bits", "value_bits")
        if certified
        else ("layer", "head", "position")
    ):
        assert [int(row[name]) for row in printed] == found.rows[name].tolist(), name
    assert [int(row["tokens"]) for row in printed] == (found.rows["position"] + 1).tolist()
    for name in [*COLUMNS.split(","), "bound", "sharp_bound"] if certified else ("error_sq", "output_sq"):
        assert [float(row[name]) for row in printed] == found.rows[name].tolist(), name


@pytest.mark.parametrize(
    "options, arguments",
    [
        ({}, []),
        ({"reader": "readkv:8,2", "transform": "identity", "pool": "head"}, None),
        ({"reader": "readkv:6,3,2", "seed": 7, "value_scale": "variance", "centre": "zero"}, None),
        ({"reader": "readkv:8,4+protect"}, None),
    ],
)
def test_certify(cli, tested, calibration, tmp_path, options, arguments):
    arguments = [f"--{name.replace('_', '-')}={value}" for name, value in options.items()]
    rows = tmp_path / "rows.csv"
    report = cli(
        "certify",
        tested.path,
        "--calibration",
        calibration.path,
        "--rows",
        rows,
        "--queries=last:8",
        *arguments,
    )
    found = kvproof.certify(
        tested.keys,
        tested.values,
        tested.queries,
        calibration=(calibration.keys, calibration.values),
        rows=range(tested.queries.shape[2] - 8, tested.queries.shape[2]),
        threads=2,
        **options,
    )
    if "+protect" not in options.get("reader", ""):  # whose dense rows have empty cells
        assert_rows_equal(found, rows)
    assert str(found.bits_read) == report["bits_read"]
    assert found.violations == report["violations"] == 0
    assert found.rows.size == report["observations"]


def test_a_changed_row_is_told_apart(cli, tested, calibration, tmp_path):
    rows = tmp_path / "rows.csv"
    cli(
        "certify",
        tested.path,
        "--calibration",
        calibration.path,
        "--rows",
        rows,
        "--queries=last:2",
        "--layers=0",
    )
    one_layer = [array[0] for array in (tested.keys, tested.values, tested.queries)]
    shown = (calibration.keys[0], calibration.values[0])
    count = tested.queries.shape[2]
    found = kvproof.certify(*one_layer, calibration=shown, rows=[count - 2, count - 1])
    assert_rows_equal(found, rows)
    found.rows["bound"][3] = np.nextafter(found.rows["bound"][3], np.inf)
    with pytest.raises(AssertionError):
        assert_rows_equal(found, rows)


def test_readers_without_certificates(cli, tested, calibration, tmp_path):
    rows = tmp_path / "rows.csv"
    report = cli("certify", tested.path, "--reader", "kivi:2", "--rows", rows, "--queries", "last:4")
    count = tested.queries.shape[2]
    found = kvproof.certify(
        tested.keys, tested.values, tested.queries, reader="kivi:2", rows=range(count - 4, count)
    )
    assert_rows_equal(found, rows, certified=False)
    assert not found.certified.any() and not report["certified"]


@pytest.mark.parametrize("reader", ["readkv:8,4", "sparq:16,32", "lloyd2", "calibration:8,2,2"])
def test_reads_and_capacity_are_those_of_compare(cli, tested, calibration, reader):
    (row,) = cli(
        "compare", tested.path, "--calibration", calibration.path, "--reader", reader, "--queries", "last:3"
    )["rows"]
    count = tested.queries.shape[2]
    arguments = (tested.keys, tested.values, tested.queries)
    shown = (calibration.keys, calibration.values, calibration.queries)
    options = {"calibration": shown, "reader": reader, "rows": range(count - 3, count)}
    found = kvproof.certify(*arguments, **options)
    assert int(row["bits_read"]) == found.bits_read
    assert int(row["bits_stored"]) == found.stored_bits
    assert row["reads_percent"] == 100.0 * found.bits_read / found.dense_bits
    reading = kvproof.read(*arguments, **options)
    assert int(reading.payload_bits.sum() + reading.overhead_bits.sum()) == found.bits_read
    assert reading.stored_bits == found.stored_bits


@pytest.mark.parametrize(
    "system", ["dense", "readkv:8,4", "kivi:4+protect", "sparq:16,128", "aatc:2.5,groups=2"]
)
@pytest.mark.parametrize("run", ["causal:2048", "answer:7500,24"])
def test_account(cli, system, run):
    printed = cli("account", "qwen2.5-7b", "--system", system, "--run", run)
    found = kvproof.account("qwen2.5-7b", system, run)
    assert found.reads_percent == Fraction(printed["reads_percent_exact"])
    assert found.capacity_percent == Fraction(printed["capacity_percent_exact"])
    for side, parts, dense in (
        ("reads", found.reads, found.dense_reads),
        ("capacity", found.capacity, found.dense_capacity),
    ):
        expected = {name: int(bits) for name, bits in printed["parts"][side].items()}
        assert expected == parts | {"total": sum(parts.values())}
        assert dense == int(printed["parts"][f"dense_{side}"])
    assert found.capacity_at == printed["capacity_at"]
    assert kvproof.account("2,1,4,64", capacity_at=10).capacity_at == 10


@pytest.mark.parametrize(
    "family, bits, probes, access",
    [
        ("hypercube:3", 3, 1, "query-independent"),
        ("pointer:2", 3, 2, "staged:1"),
        ("attention:2", 4, 2, "branching"),
    ],
)
@pytest.mark.parametrize("coins", ["none", "public", "both"])
def test_probe(cli, family, bits, probes, access, coins):
    printed = cli("probe", family, "--bits", bits, "--probes", probes, "--classes", access, "--coins", coins)
    assert kvproof.probe(family, bits, probes, access, coins=coins) == printed


def test_verify(cli, tmp_path):
    patterns = ["readkv.lemma7.gain.*", "readkv.thm1.slack"]
    printed = cli("verify", *patterns, "--out", tmp_path / "out")["claims"]
    assert kvproof.verify(*patterns) == printed
    table = tmp_path / "own.npy"
    np.save(table, np.concatenate(kvproof.lloyd_table(8).centroids))
    of_file = cli("verify", "readkv.lemma7.gain.1.*", "--codebook", table, "--out", tmp_path / "out")[
        "claims"
    ]
    assert kvproof.verify("readkv.lemma7.gain.1.*", codebook=table) == of_file
