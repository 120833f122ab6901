from __future__ import annotations
import numpy as np

N = 100


def f(x: f32[N]):
    return x
