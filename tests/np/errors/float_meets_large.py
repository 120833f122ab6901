from __future__ import annotations
import numpy as np


def f(x: f16[4]):
    return x + 300
