"""The theory of KV-cache compression from Python: allocate, encode, read, certify, verify, account.

Arrays go in and come out as numpy's. G is the number of KV heads, H that of query heads (a multiple of G), T
that of cached tokens, d_h the head dimension, W the stored depth of a code. Query row i stands at position T - Tq + i
and sees the tokens up to it. Whatever is wrong with an argument is a ValueError of one line that says what was
found and what was expected.

>>> import kvproof
>>> kvproof.choose_depths([4.0, 1.0, 0.25], stored=8, budget=5).depths
array([3, 2, 0], dtype=uint8)
"""

from ._account import Account, account
from ._allocate import Schedule, choose_depths
from ._cache import Calibration
from ._certify import Certification, certify
from ._code import decode, encode, lloyd_table, read_table
from ._kvproof import Table, __version__
from ._probe import probe
from ._read import Reading, read
from ._verify import verify

__all__ = [
    "Account",
    "Calibration",
    "Certification",
    "Reading",
    "Schedule",
    "Table",
    "account",
    "certify",
    "choose_depths",
    "decode",
    "encode",
    "lloyd_table",
    "probe",
    "read",
    "read_table",
    "verify",
    "__version__",
]
