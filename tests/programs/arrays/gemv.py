from __future__ import annotations
import numpy as np


def gemv(a: i32[1024, 64], x: i32[64]) -> i32[1024]:
    y = a @ x
    return y
