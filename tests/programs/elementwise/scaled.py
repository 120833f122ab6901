from __future__ import annotations
import numpy as np


def scaled(x: i32[4096], z: i32[4096]) -> i32[4096]:
    y = 10 * x + z
    return y
