from __future__ import annotations
import numpy as np


def distance(x: i32[4096], z: i32[4096]) -> i32[4096]:
    y = np.where(x > z, x - z, z - x) ^ np.maximum(x, z)
    return y
