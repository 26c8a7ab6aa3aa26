"""Exact minimax risks of the reader classes on finite families."""

from __future__ import annotations

import json
import math
from typing import Any

from . import _kvproof
from ._arguments import choice, short, text, whole

MOST_BITS = 32
MOST_PROBES = 16


def probe(
    family: str,
    bits: int,
    probes: int,
    access: str = "branching",
    *,
    coins: str = "both",
    time_limit: float = 0,
) -> dict[str, Any]:
    """The risks of one class of readers on a finite family (docs/probe.md), at one budget.

    family: 'hypercube:d', 'pointer:n', 'file:PATH' and so on, as `kvproof probe --help` lists them.
    bits, probes: w, the bits of a record, and r, those that are read for a query.
    access: 'oblivious', 'query-independent', 'staged:J' or 'branching'.
    coins: 'none' for protocols without coins, 'public' for public coins, 'both'.
    time_limit: seconds after which what is known by then comes back as an interval; 0 for none.

    Gives what `kvproof probe --format json` prints for the one class: risks are strings "p/q", already over the scale.

    >>> cell = probe("hypercube:3", 3, 1, "query-independent")["results"][0]
    >>> cell["deterministic"]["risk"], cell["randomised"]
    ('1/3', {'lower': '2/9', 'upper': '2/9'})
    """
    if not isinstance(time_limit, (int, float)) or not 0 <= time_limit < math.inf:
        raise ValueError(f"time_limit: found {short(time_limit)}, expected seconds, 0 for no limit")
    found: dict[str, Any] = json.loads(
        _kvproof.probe(
            text("family", family, "a name such as 'hypercube:3'"),
            whole("bits", bits, 0, MOST_BITS),
            whole("probes", probes, 0, MOST_PROBES),
            text("access", access, "a class such as 'staged:1'"),
            choice("coins", coins, ("none", "public", "both")),
            float(time_limit),
        )
    )
    return found
