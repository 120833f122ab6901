from __future__ import annotations
import numpy as np


def roll(x: i32[4096]) -> i32[4096]:
    y = np.roll(x, 7)
    return y
