from __future__ import annotations
import numpy as np


def ones(x: i32[4096], z: i32[4096]) -> i32[4096]:
    a = x.astype(np.uint32)
    b = a - (a >> 1 & 0x55555555)
    c = (b & 0x33333333) + (b >> 2 & 0x33333333)
    d = c + (c >> 4) & 0x0F0F0F0F
    y = (d * 0x01010101 >> 24).astype(np.int32) + z
    return y
