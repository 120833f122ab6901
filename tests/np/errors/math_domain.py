from __future__ import annotations
import math
import numpy as np

N = 4


def f(x: f32[N]):
    a = math.sqrt(-1)
    b = math.log(0)
    c = math.sine(1)
    d = math.sin(x)
    e = math.atan2(1)
    g = 0.0 ** -1
    h = (-2.0) ** 0.5
    i = 10.0 ** 400
    return x
