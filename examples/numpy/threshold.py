"""Black and white by a threshold, and how much is white."""
from __future__ import annotations
import numpy as np

H = 64
W = 64


def threshold(img: u8[H, W], t: u8):
    white = img >= t
    out = np.where(white, np.uint8(255), np.uint8(0))
    count = np.count_nonzero(white)
    return out, count
