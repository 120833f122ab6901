"""The CRC-32 of one message of L bytes in each lane, bit by bit."""
from __future__ import annotations
import numpy as np

N = 256
L = 4


def crc32(text: u8[L, N]) -> u32[N]:
    crc = np.full(N, 0xFFFFFFFF, dtype=np.uint32)
    for i in range(L):
        crc ^= text[i]
        for _ in range(8):
            crc = np.where(crc & 1, (crc >> 1) ^ 0xEDB88320, crc >> 1)
    return ~crc
