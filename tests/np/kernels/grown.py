# SPDX-License-Identifier: MIT
from __future__ import annotations
import numpy as np

N = 40


def crc_table():
    table = []
    for byte in range(256):
        crc = byte << 8
        for bit in range(8):
            crc = (crc << 1) ^ 0x1021 if crc & 0x8000 else crc << 1
        table.append(crc & 0xFFFF)
    return np.array(table, dtype=np.uint16)


TABLE = crc_table()


def distance(a, b):
    """Of two words of three letters."""
    row = [np.full(N, j, dtype=np.uint8) for j in range(4)]
    for i in range(3):
        new = [np.full(N, i + 1, dtype=np.uint8)]
        for j in range(3):
            cost = (a[:, i] != b[:, j]).astype(np.uint8)
            new.append(np.minimum(np.minimum(row[j + 1], new[j]) + 1, row[j] + cost))
        row = new
    return row[3]


def kernel(a: u8[N, 3], b: u8[N, 3]) -> (u8[N], u16[N], u8[N]):
    crc = np.full(N, 0xFFFF, dtype=np.uint16)
    for i in range(3):
        crc = (crc << 8) ^ TABLE[(crc >> 8) ^ a[:, i]]
    halves = [[] for _ in range(2)]
    for k in range(20):
        halves[k % 2].append(k)
    parts = []
    parts.extend([a[:, 0] + h[-1] for h in halves])
    return distance(a & 3, b & 3), crc, parts[0] ^ parts[1]
