# SPDX-License-Identifier: MIT
from __future__ import annotations
import math
import numpy as np

N = 30
GAMMA = np.array([int(round((i / 31) ** 2.2 * 255)) for i in range(32)], dtype=np.uint8)
SINE = np.array([int(round(127 * math.sin(2 * math.pi * i / 64))) for i in range(64)], dtype=np.int8)
BITS = math.ceil(math.log2(100))
E8 = 2 ** -3
LIMIT = np.finfo(np.float32).eps


def kernel(x: u8[N], r: i16[N]) -> (u8[N], i8[N], u8[N], f64[N], f32, i64, bool[N]):
    middle = int(r.mean())
    count = max(int((r > 5).sum()), 1, 3)
    rest = -7.5 % 2 + 7.5 // -2 + E8
    return GAMMA[x & 31], SINE[x & 63], x >> BITS, x * rest, np.float32(LIMIT), np.int64(N // count), r > middle
