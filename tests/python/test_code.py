"""The table against a computation with mpmath; codes against a walk down the tree, in Python."""

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kvproof

DIGITS = 40


def centre(low, high):
    """E[Z | low < Z < high]"""
    return (mpmath.npdf(low) - mpmath.npdf(high)) / mass(low, high)


def mass(low, high):
    # on one side of 0, where nothing cancels
    if low > 0:
        return (mpmath.erfc(low / mpmath.sqrt(2)) - mpmath.erfc(high / mpmath.sqrt(2))) / 2
    return (mpmath.erfc(-high / mpmath.sqrt(2)) - mpmath.erfc(-low / mpmath.sqrt(2))) / 2


def split(low, high):
    """The m with 2 m = c(low, m) + c(m, high), by secants from within the cell."""
    if low == -mpmath.inf and high == mpmath.inf:
        return mpmath.mpf(0)
    start = centre(low, high)
    return mpmath.findroot(
        lambda m: 2 * m - centre(low, m) - centre(m, high),
        (start, start * (1 + mpmath.mpf(2) ** -20)),
        solver="secant",
    )


@pytest.fixture(scope="module")
def tree():
    """Ends of the cells and the distortion of each depth 0..8, to 40 digits."""
    with mpmath.workdps(DIGITS):
        ends = [[-mpmath.inf, mpmath.inf]]
        for _ in range(8):
            last = ends[-1]
            inner = [each for low, high in zip(last, last[1:]) for each in (split(low, high), high)]
            ends.append([last[0], *inner])
        cells = [list(zip(level, level[1:])) for level in ends]
        centroids = [[centre(*cell) for cell in level] for level in cells]
        distortion = [
            1 - mpmath.fsum(mass(*cell) * c**2 for cell, c in zip(level, cs))
            for level, cs in zip(cells, centroids)
        ]
        return [level[1:-1] for level in ends], centroids, distortion


def is_nearest(stored, exact):
    """Whether a stored number is the exact one rounded once: at most half a unit in the last place away."""
    with mpmath.workdps(DIGITS):
        half = mpmath.mpf(float(np.spacing(np.abs(stored)))) / 2
        return abs(mpmath.mpf(float(stored)) - exact) <= half


def test_the_table_is_the_exact_tree_rounded_once(tree):
    boundaries, centroids, distortion = tree
    table = kvproof.lloyd_table(8)
    for t in range(9):
        for stored, exact in ((table.boundaries[t], boundaries[t]), (table.centroids[t], centroids[t])):
            assert stored.dtype == np.float32 and stored.shape == (len(exact),)
            assert all(map(is_nearest, stored, exact))
        assert is_nearest(table.distortion[t], distortion[t])
    for t in range(8):
        with mpmath.workdps(DIGITS):
            gain = distortion[t] - distortion[t + 1]
        assert is_nearest(table.gain[t], gain)
        assert is_nearest(table.gain[t].astype(np.float32), gain)  # what float32 weights are multiplied by
    assert not is_nearest(np.nextafter(table.gain[0], 1), distortion[0] - distortion[1])


@pytest.mark.parametrize("depth", range(1, 8))
def test_a_cut_is_the_first_levels(depth):
    whole, part = kvproof.lloyd_table(8), kvproof.lloyd_table(depth)
    assert part.depth == depth and len(part.centroids) == depth + 1
    for t in range(depth + 1):
        assert np.array_equal(part.boundaries[t], whole.boundaries[t])
        assert np.array_equal(part.centroids[t], whole.centroids[t])
    assert np.array_equal(part.gain, whole.gain[:depth])


def walk(table, z, boundary_goes_up=True):
    """The code of one number; the flag makes the mutant."""
    cell = 0
    for t in range(table.depth):
        boundary = float(table.boundaries[t + 1][2 * cell])
        cell = 2 * cell + (z > boundary or (boundary_goes_up and z == boundary))
    return cell


NUMBERS = st.one_of(
    st.floats(-8, 8),
    st.floats(-1e300, 1e300),
    st.sampled_from([float(b) for b in kvproof.lloyd_table(8).boundaries[8]] + [0.0, -0.0]),
)


@given(st.lists(NUMBERS, min_size=1, max_size=50), st.integers(1, 8))
def test_codes_are_walks(values, depth):
    table = kvproof.lloyd_table(depth)
    codes = kvproof.encode(np.array(values), table=table)
    assert codes.tolist() == [walk(table, z) for z in values]


def test_a_wrong_walk_is_told_apart():
    table = kvproof.lloyd_table(8)
    at_boundary = float(table.boundaries[3][2])
    assert kvproof.encode(at_boundary) == walk(table, at_boundary) != walk(table, at_boundary, False)


def test_channels(rng):
    x = rng.normal(size=(5, 7, 16)) * 3 + 1
    mean, scale = rng.normal(size=16), rng.random(16)
    scale[3] = 0
    codes = kvproof.encode(x, mean=mean, scale=scale)
    assert codes.shape == x.shape and codes.dtype == np.uint8
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.where(scale == 0, 0, (x - mean) / scale)
    assert np.array_equal(codes, kvproof.encode(z))
    decoded = kvproof.decode(codes, 5, mean=mean, scale=scale)
    table = kvproof.lloyd_table(8)
    assert np.array_equal(decoded, mean + scale * table.centroids[5].astype(np.float64)[codes >> 3])
    assert np.array_equal(decoded[..., 3], np.full((5, 7), mean[3]))
    one = kvproof.encode(x, mean=2.0, scale=0.5)
    assert np.array_equal(one, kvproof.encode((x - 2.0) / 0.5))


@given(st.lists(st.floats(-8, 8, width=32), min_size=1, max_size=40), st.integers(1, 8))
def test_a_round_trip_stays_in_its_cell(values, depth):
    table = kvproof.lloyd_table(depth)
    x = np.array(values, np.float32)
    codes = kvproof.encode(x, table=table)
    assert np.array_equal(codes, kvproof.encode(x.astype(np.float64), table=table))
    decoded = kvproof.decode(codes, table=table)
    assert np.array_equal(kvproof.encode(decoded, table=table), codes)
    for t in range(depth + 1):
        assert np.array_equal(kvproof.decode(codes, t, table=table), table.centroids[t][codes >> (depth - t)])


def test_a_long_array_is_the_sum_of_its_pieces(rng):
    x = rng.normal(size=20_000).astype(np.float32)
    codes = kvproof.encode(x)
    assert np.array_equal(codes[::7], kvproof.encode(x[::7]))


def test_a_file_of_ones_own(tmp_path, cli):
    path = tmp_path / "table.npy"
    table = kvproof.lloyd_table(3)
    np.save(path, np.concatenate(table.centroids))
    own = kvproof.read_table(path)
    assert own.depth == 3 and all(map(np.array_equal, own.centroids, table.centroids))
    assert np.allclose(own.distortion, table.distortion, rtol=1e-7)
    printed = cli("table", "lloyd", "--depth", 3, "--digits", 20)
    for t, level in enumerate(printed["levels"]):
        assert np.array_equal(np.array(level["centroids"], np.float64).astype(np.float32), table.centroids[t])
        assert float(level["distortion"]) == pytest.approx(table.distortion[t], rel=1e-15)
