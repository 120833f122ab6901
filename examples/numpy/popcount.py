"""Bits that are set, by adding ever wider fields."""
from __future__ import annotations
import numpy as np

N = 4096


def popcount(x: u32[N]) -> u8[N]:
    x = x - ((x >> 1) & 0x55555555)
    x = (x & 0x33333333) + ((x >> 2) & 0x33333333)
    x = (x + (x >> 4)) & 0x0F0F0F0F
    n = ((x * 0x01010101) >> 24).astype(np.uint8)
    return n
