from __future__ import annotations
import numpy as np


def f(e: i32[4], u: u8[4], m: bool[4], s: u8):
    a = 2 ** e, e ** e, 300 ** u, u ** e
    b = 2 ** m, m ** m, u ** -1, 2 ** s
    s **= 2
    u **= np.zeros((2, 4), dtype=np.uint8)
    return u ** 2.0, 2.5 ** u
