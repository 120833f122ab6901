"""How many pixels fall into each of 16 classes (PrIM: HST)."""
from __future__ import annotations
import numpy as np

N = 4096
CLASSES = 16


def histogram(img: u8[N]) -> i32[CLASSES]:
    which = img >> 4
    h = np.zeros(CLASSES, dtype=np.int32)
    for c in range(CLASSES):
        h[c] = np.count_nonzero(which == c)
    return h
