"""Odd elements, in their order (PrIM: SEL)."""
from __future__ import annotations
import numpy as np

N = 4096


def select(x: u64[N]) -> u64[:n]:
    odd = x[x & 1 == 1]
    return odd
