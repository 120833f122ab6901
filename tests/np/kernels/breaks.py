from __future__ import annotations
import numpy as np

# Loops that end, or go on to the next iteration, when no element, or each, has it.
N = 65
MOST = 40


def halve(x, most=MOST):
    steps = np.zeros(N, dtype=np.uint8)
    for k in range(most):
        live = x > 1
        if not live.any():
            break
        x = np.where(live, np.where(x & 1, x + 1, x >> 1), x)
        steps += live
    return x, steps


def settle(x):
    total = np.zeros(N, dtype=np.int32)
    while True:
        x = x >> 1
        total += x
        if np.all(x < 3):
            break
        if np.any(x == 77):
            total += 1000
            continue
        total -= 1
    return x, total


def within(x, limit):
    k = 0
    while k < limit:
        x += 1
        if np.any(x > 240):
            x = x - 200
            break
        k += 1
    return x


def found(x, k: u8):
    at = np.full(N, -1, dtype=np.int16)
    for i in range(8):
        if i == 6:
            break
        if i % 2:
            continue
        hit = (x >> i) & 3 == k & 3
        at = np.where(hit & (at < 0), np.int16(i), at)
        if hit.all():
            break
    return at


def breaks(x: u16[N], k: u8):
    y, steps = halve(x % 1000)
    z, total = settle(x.astype(np.int32) % 500)
    while np.any(z < 6):
        z += 1
        if np.all(z > 4):
            break
    return y, steps, z, total, within(x % 7, 9), within(x % 7, 260), found(x, k)
