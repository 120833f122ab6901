"""Steps to 1 of the sequence 3 n + 1, up to the limit of 64 bits."""
from __future__ import annotations
import numpy as np

N = 512


def collatz(x: u8[N]) -> u16[N]:
    n = np.maximum(x.astype(np.uint64), 1)
    steps = np.zeros(N, dtype=np.uint16)
    while np.any(n != 1):
        odd = (n & 1) == 1
        n = np.where(n == 1, n, np.where(odd, 3 * n + 1, n >> 1))
        steps[n != 1] += 1
    return steps
