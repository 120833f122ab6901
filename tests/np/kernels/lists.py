from __future__ import annotations
import numpy as np

# Comprehensions, sums of lists, and Python's functions on what is known.
N = 65
K: int = 4
TAPS = [1, 4, 6, 4, 1]


def lists(x: i32[N + 4], rows: u8[K, N]):
    smooth = sum(t * x[i:i + N] for i, t in enumerate(TAPS)) // sum(TAPS)
    counts = np.array([np.count_nonzero(rows[k] > 100) for k in range(K)])
    best = max([t for t in TAPS if t % 2 == 0] + [len(TAPS)])
    pairs = [rows[a] ^ rows[b] for a in range(K) for b in range(a) if (a + b) % 2]
    odd = sum(pairs, start=np.uint8(3)) if False else sum(pairs)
    total = 0
    for row, t in zip(rows, reversed(TAPS)):
        total = total + row.astype(np.int32) * t
    q, r = divmod(x[:N], 7)
    order = sorted([3, 1, 2]) + sorted(reversed(range(K, 9)))
    return smooth, counts, odd * best, total, q + r, order[0] + order[5] + list(range(3))[2] + x[1]
