from __future__ import annotations
import numpy as np

M = -2 ** 119 * 2
A = -M + 2 ** 120
B = -(-2 ** 126 - 2 ** 126)
C = M // -1 - 1 + M % -1
D = ~(2 ** 120)
E = int(1e30)
F = [0] * 2 ** 110
G = (-1) ** 2 ** 100 + 1 ** (2 ** 100 + 1)


def f(x: i32[8]):
    return x
