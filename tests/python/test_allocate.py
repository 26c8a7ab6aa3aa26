"""choose_depths against the rule as it is written, in Python, and against all allocations."""

import heapq
import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kvproof


def greedy(weights, gains, budget, later_first=False, spends_on_nothing=False):
    """The rule with a heap, every product rounded once to the dtype. The two flags make the mutants."""
    depths = np.zeros(weights.size, np.uint8)
    flat = weights.reshape(-1)

    def entry(item):
        gain = flat[item] * gains[depths[item]]
        return (-gain, -item if later_first else item, item)

    heap = [entry(item) for item in range(flat.size)]
    heapq.heapify(heap)
    for _ in range(budget):
        if not heap or (heap[0][0] >= 0 and not spends_on_nothing):
            break
        _, _, item = heapq.heappop(heap)
        depths[item] += 1
        if depths[item] < gains.size:
            heapq.heappush(heap, entry(item))
    return depths.reshape(weights.shape)


# few different weights, so that ties are common; subnormal products too
WEIGHT = st.one_of(
    st.sampled_from([0.0, 1.0, 0.25, 1.5]),
    st.floats(0, 2.0**100, width=32),
    st.floats(0, 2.0**-130, width=32),
)
CASES = given(
    weights=st.lists(WEIGHT, min_size=1, max_size=40),
    stored=st.integers(1, 8),
    budget=st.integers(0, 400),
    single=st.booleans(),
)


@CASES
def test_equals_the_heap(weights, stored, budget, single):
    dtype = np.float32 if single else np.float64
    items = np.array(weights, dtype)
    schedule = kvproof.choose_depths(items, stored, budget=budget)
    gains = kvproof.lloyd_table(stored).gain.astype(dtype)
    assert np.array_equal(schedule.depths, greedy(items, gains, budget))
    assert schedule.spent == schedule.depths.sum(dtype=np.int64) <= schedule.requested == budget


@given(
    weights=st.lists(st.integers(0, 9), min_size=1, max_size=4),
    gains=st.lists(st.integers(0, 9), min_size=1, max_size=3),
    budget=st.integers(0, 12),
)
def test_no_allocation_collects_more(weights, gains, budget):
    falling = np.array(sorted(gains, reverse=True), np.float64)
    items = np.array(weights, np.float64)  # whole numbers: every product and sum is exact
    depths = kvproof.choose_depths(items, falling.size, budget=budget, gains=falling).depths
    worth = np.concatenate([[0], np.cumsum(falling)])
    best = max(
        items @ worth[list(each)]
        for each in itertools.product(range(falling.size + 1), repeat=items.size)
        if sum(each) <= budget
    )
    assert items @ worth[depths] == best


@pytest.mark.parametrize("flag", ["later_first", "spends_on_nothing"])
def test_a_wrong_heap_is_told_apart(flag):
    items = np.array([1.0, 1.0, 0.0])
    gains = kvproof.lloyd_table(8).gain
    for budget in (1, 30):
        if not np.array_equal(greedy(items, gains, budget, **{flag: True}), greedy(items, gains, budget)):
            return
    raise AssertionError(f"the cases do not see {flag}")


def test_shapes_lists_and_own_gains(rng):
    weights = rng.random((3, 4, 5))
    gains = np.linspace(1, 0.1, 20)
    own = kvproof.choose_depths(weights, 20, budget=100, gains=gains)
    assert own.depths.shape == weights.shape and own.depths.dtype == np.uint8
    flat = kvproof.choose_depths(weights.reshape(-1), 20, budget=100, gains=list(gains))
    assert np.array_equal(own.depths.reshape(-1), flat.depths)
    turned = kvproof.choose_depths(np.asfortranarray(weights), 20, budget=100, gains=gains)
    assert np.array_equal(own.depths, turned.depths)
    assert kvproof.choose_depths([], budget=3).depths.shape == (0,)
    assert kvproof.choose_depths(2.0, budget=3).depths == 3
    swapped = weights.astype(weights.dtype.newbyteorder())
    assert np.array_equal(kvproof.choose_depths(swapped, 20, budget=100, gains=gains).depths, own.depths)
