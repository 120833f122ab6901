from __future__ import annotations
import numpy as np


def count(x: u8[65536]) -> i64:
    s = np.count_nonzero(x == 7)
    return s
