"""A matrix times a vector (PrIM: GEMV)."""
from __future__ import annotations
import numpy as np

N = 128
M = 64


def gemv(a: u32[N, M], x: u32[M]) -> u32[N]:
    y = a @ x
    return y
