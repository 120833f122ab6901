from __future__ import annotations
import numpy as np


def f(x: i64[64], y: i64[64]):
    return ((x * 3 ^ y) * ((x * 5 ^ y) * ((x * 7 ^ y) * ((x * 9 ^ y) *
            ((x * 11 ^ y) * ((x * 13 ^ y) * ((x * 15 ^ y) * ((x * 17 ^ y) *
            ((x * 19 ^ y) * ((x * 21 ^ y) * ((x * 23 ^ y) * ((x * 25 ^ y) *
            ((x * 27 ^ y) * ((x * 31 ^ y)))))))))))))))
