"""The claims of the papers, decided."""

from __future__ import annotations

import json
import os
from typing import Any

from . import _kvproof
from ._arguments import choice, text


def verify(
    *patterns: str, effort: str = "default", codebook: str | os.PathLike[str] | None = None
) -> list[dict[str, Any]]:
    """Decides the claims whose ids match a pattern with * and ?, all of them where none is given.

    effort: 'full' also runs the rows marked so.
    codebook: a file to hold the claims about the stored table against.

    Gives the rows of `kvproof verify --format json`: exact numbers are strings, verdicts "proved", "refuted",
    "supported" or "undecided". Writes nothing.

    >>> [row["verdict"] for row in verify("readkv.lemma7.gain.1.float32", "readkv.lemma7.gain.1.exact")]
    ['proved', 'refuted']
    """
    wanted = [text("pattern", pattern, "the id of a claim, with * and ?") for pattern in patterns]
    full = choice("effort", effort, ("default", "full")) == "full"
    found: dict[str, Any] = json.loads(_kvproof.verify(wanted, full, os.fspath(codebook or "")))
    rows: list[dict[str, Any]] = found["claims"]
    return rows
