"""ChooseDepths: bits to where they help most."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _kvproof
from ._arguments import numbers, whole
from ._code import DEEPEST, lloyd_table

MOST_LEVELS = 255


@dataclass(frozen=True, eq=False)
class Schedule:
    """How deep each item is read."""

    depths: NDArray[np.uint8]
    """The depth of each item, in the shape of the weights, 0 to `stored`."""
    requested: int
    """The budget, in increments: one increment reads one more bit of one item."""
    spent: int
    """The sum of the depths; less than the budget where no refinement helps any more."""


def choose_depths(
    weights: ArrayLike, stored: int = 8, *, budget: int, gains: ArrayLike | None = None
) -> Schedule:
    """Raises, `budget` times, the depth whose next gain is the largest (ReadKV 3.3).

    weights: float32 or float64 of any shape, finite and not negative; the items in C order.
    stored: W, the deepest level, 1 to 8; with gains of your own 1 to 255.
    budget: how many increments may be spent.
    gains: what the levels are worth, [stored] in the dtype of the weights; that of the Gaussian Lloyd tree where none
        are given.

    The gain of level t of item i is weights[i] * gains[t - 1], rounded once to the dtype of the two; equal gains go to
    the item that comes first, and gains of 0 are not spent on. Optimal where the gains do not rise with t.

    >>> schedule = choose_depths([4.0, 1.0, 1.0], stored=2, budget=3)
    >>> schedule.depths, schedule.spent
    (array([2, 1, 0], dtype=uint8), 3)
    >>> choose_depths([1.0, float("nan")], budget=3)
    Traceback (most recent call last):
    ValueError: weights[1]: found NaN, expected a finite number not below 0
    """
    items = numbers("weights", weights)
    levels = _gains(gains, stored, items.dtype)
    increments = whole("budget", budget, 0, 2**64 - 1)
    depths, spent = _kvproof.choose_depths(items, levels, increments)
    return Schedule(depths, increments, spent)


def _gains(gains: Any, stored: Any, dtype: np.dtype[Any]) -> NDArray[Any]:
    if gains is None:
        return lloyd_table(whole("stored", stored, 1, DEEPEST)).gain.astype(dtype, copy=False)
    depth = whole("stored", stored, 1, MOST_LEVELS)
    if not isinstance(gains, np.ndarray):
        gains = numbers("gains", gains).astype(dtype)
    levels = numbers("gains", gains, (dtype.name,))
    if levels.shape != (depth,):
        raise ValueError(
            f"gains: found shape {list(levels.shape)}, expected [{depth}], one for each stored level"
        )
    return levels
