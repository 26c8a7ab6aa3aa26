"""The native half. Arrays must be in C order and of the very dtype."""

from typing import Any, Sequence, overload

import numpy as np
from numpy.typing import NDArray

__version__: str

class Table:
    """A nested code: boundaries and centroids of each depth, and what they cost."""

    @property
    def depth(self) -> int:
        """W"""
    @property
    def boundaries(self) -> list[NDArray[np.float32]]:
        """float32 arrays [2^t - 1], one for each depth t"""
    @property
    def centroids(self) -> list[NDArray[np.float32]]:
        """float32 arrays [2^t], one for each depth t"""
    @property
    def distortion(self) -> NDArray[np.float64]:
        """float64 [W + 1]"""
    @property
    def gain(self) -> NDArray[np.float64]:
        """float64 [W]"""
    def encode(
        self, x: NDArray[Any], mean: NDArray[np.float64], scale: NDArray[np.float64]
    ) -> NDArray[np.uint8]: ...
    def decode(
        self, codes: NDArray[np.uint8], depth: int, mean: NDArray[np.float64], scale: NDArray[np.float64]
    ) -> NDArray[np.float64]: ...

class Cache:
    """A cache in C-contiguous arrays, viewed, with its calibration."""

    def __init__(
        self,
        keys: NDArray[Any],
        values: NDArray[Any],
        queries: NDArray[Any] | None,
        calibration_keys: NDArray[Any] | None,
        calibration_values: NDArray[Any] | None,
        calibration_queries: NDArray[Any] | None,
        calibrate_on_itself: bool,
        table: Table,
    ) -> None: ...

class CacheOptions:
    """How a cache is read."""

    def __init__(
        self,
        reader: str,
        transform: str,
        seed: int,
        value_scale: str,
        pool: str,
        rows: Sequence[int],
        threads: int,
    ) -> None: ...

def choose_depths(
    weights: NDArray[Any], gains: NDArray[Any], budget: int
) -> tuple[NDArray[np.uint8], int]: ...
def gaussian_table(depth: int) -> Table: ...
def table_of_file(path: str) -> Table: ...
def read(arguments: Cache, options: CacheOptions, depths: bool) -> dict[str, Any]: ...
def certify(arguments: Cache, options: CacheOptions, centre: str) -> dict[str, Any]: ...
def verify(patterns: Sequence[str], full_effort: bool, codebook: str) -> str: ...
def account(model: str, system: str, run: str, capacity_at: int) -> dict[str, Any]: ...
def probe(family: str, bits: int, probes: int, access: str, coins: str, time_limit: float) -> str: ...
