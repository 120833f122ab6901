from __future__ import annotations
import numpy as np

BAD = "a\q"


def f(x: u8[4]):
    return x
