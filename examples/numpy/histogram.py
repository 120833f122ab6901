"""How many pixels of 12 bits fall into each of 16 classes (PrIM: HST)."""
from __future__ import annotations
import numpy as np

N = 4096
CLASSES = 16


def histogram(img: u16[N]) -> u32[CLASSES]:
    which = (img & 4095) * CLASSES >> 12
    h = [which] * CLASSES
    for c in range(CLASSES):
        h[c] = (which == c).sum(dtype=np.uint32)
    return np.stack(h)
