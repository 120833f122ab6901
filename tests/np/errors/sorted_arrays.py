from __future__ import annotations
import numpy as np


def sorted_arrays(x: i32[8]):
    many = sorted(reversed(range(1 << 17)))
    least = sorted([x[0], x[1], x[2], x[3]])
    return x + least[0] + many[0]
