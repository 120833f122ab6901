from __future__ import annotations
import numpy as np


def transpose(x: i32[64, 128]) -> i32[128, 64]:
    y = x.T
    return y
