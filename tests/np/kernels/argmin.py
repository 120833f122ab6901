from __future__ import annotations
import numpy as np

def argmin(p0: u64[2, 3], p1: u32[2, 3]):
    v1 = p0.argmin()
    p0[~(p1 < p1)] -= 7
    return v1
