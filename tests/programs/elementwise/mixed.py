from __future__ import annotations
import numpy as np


def mixed(x: i32[4096], z: i32[4096]) -> i32[4096]:
    a = x.astype(np.uint32) ^ z.astype(np.uint32) << 7
    b = (a ^ a >> 16) * 0x45D9F3B
    y = (b ^ b >> 15).astype(np.int32)
    return y
