"""The last element of each run of equal ones (PrIM: UNI)."""
from __future__ import annotations
import numpy as np

N = 4096


def unique(x: i64[N]) -> i64[:n]:
    last = x != np.roll(x, -1)
    last[N - 1] = True
    found = x[last]
    return found
