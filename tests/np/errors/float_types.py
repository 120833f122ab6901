from __future__ import annotations
import numpy as np


def f(x: f32[4], i: i16[4]):
    return x * i
