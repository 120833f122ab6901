from __future__ import annotations
import numpy as np


def divided(x: i32[4096], z: i32[4096]) -> i32[4096]:
    y = x // 7 + z % 10
    return y
