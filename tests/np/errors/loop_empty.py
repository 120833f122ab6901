from __future__ import annotations
import numpy as np


def f(x: i32[8]):
    for i in range(2 ** 60):
        for j in range(2 ** 60):
            pass
    return x
