from __future__ import annotations
import numpy as np


def comprehension_filtered(x: i32[8]):
    t = [1 for a in range(200000) for b in range(200000) if a < 0]
    return x + len(t)
