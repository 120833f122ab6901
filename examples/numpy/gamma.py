"""Pixels by a table of 16 levels."""
from __future__ import annotations
import numpy as np

N = 5000
LEVELS = np.array([0, 55, 79, 97, 112, 126, 138, 149, 159, 168, 177, 186, 194, 202, 209, 217], dtype=np.uint8)


def gamma(img: u8[N]) -> u8[N]:
    out = LEVELS[img >> 4]
    return out
