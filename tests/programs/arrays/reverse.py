from __future__ import annotations
import numpy as np


def reverse(x: i32[4096]) -> i32[4096]:
    y = x[::-1]
    return y
