from __future__ import annotations
import numpy as np


def f(x: f64[4]):
    return x * (2 ** 60 / 3)
