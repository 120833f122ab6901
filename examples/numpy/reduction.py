"""The sum of all elements (PrIM: RED)."""
from __future__ import annotations
import numpy as np

N = 4096


def reduction(x: i64[N]) -> i64:
    total = x.sum()
    return total
