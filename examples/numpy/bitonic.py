"""Sorting by comparing with the element whose number differs in one bit."""
from __future__ import annotations
import numpy as np

K = 8
N = 2 ** K


def bitonic(x: i32[N]) -> i32[N]:
    n = np.arange(N, dtype=np.uint32)
    for i in range(K):
        for j in range(i, -1, -1):
            other = x.reshape(N // 2 ** (j + 1), 2, 2 ** j)[:, ::-1].reshape(N)
            up = ((n >> (i + 1)) & 1) == 0
            low = ((n >> j) & 1) == 0
            x = np.where(up == low, np.minimum(x, other), np.maximum(x, other))
    return x
