"""What each system reads and retains."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from . import _kvproof
from ._arguments import text, whole

LONGEST = 10**9


@dataclass(frozen=True)
class Account:
    """Exact bits of a system on a model, and what that is of Dense, 16 bits a scalar."""

    model: str
    system: str
    run: str
    capacity_at: int
    """The cache length, in tokens, at which capacity is taken."""
    reads_percent: Fraction
    """100 times the bits read over the run, over Dense's."""
    capacity_percent: Fraction
    """100 times the bits retained, over Dense's."""
    reads: dict[str, int]
    """Bits read over the run, by part: payload, metadata, outliers, ..."""
    capacity: dict[str, int]
    """Bits retained, likewise."""
    dense_reads: int
    dense_capacity: int


def account(
    model: str, system: str = "readkv:8,4", run: str = "causal:2048", *, capacity_at: int | None = None
) -> Account:
    """Accounts for what a system reads over a run and retains (ReadKV A.1, F.2).

    model: a name such as 'qwen2.5-7b', or 'L,G,H,d_h'.
    system: a reader name, as `kvproof account --help` lists them.
    run: 'causal:T', calls at 1..T tokens; or 'answer:N,G', a G-token answer after a dense prefill of N.
    capacity_at: a cache length in tokens; the T or the N of the run where none is given.

    >>> account("qwen2.5-7b", "kivi:2").reads_percent
    Fraction(2292775, 87424)
    """
    length = 0 if capacity_at is None else whole("capacity_at", capacity_at, 1, LONGEST)
    found = _kvproof.account(
        text("model", model, "a name such as 'qwen2.5-7b', or 'L,G,H,d_h'"),
        text("system", system, "a name such as 'readkv:8,4'"),
        text("run", run, "'causal:T' or 'answer:N,G'"),
        length,
    )
    return Account(
        found["model"],
        system,
        run,
        found["capacity_at"],
        Fraction(found["reads_percent"]),
        Fraction(found["capacity_percent"]),
        found["reads"],
        found["capacity"],
        found["dense_reads"],
        found["dense_capacity"],
    )
