from __future__ import annotations
import numpy as np


def clipped(x: i32[4096], z: i32[4096]) -> i32[4096]:
    y = np.clip(x + z >> 4, -128, 127)
    return y
