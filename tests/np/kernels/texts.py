# SPDX-License-Identifier: MIT
from __future__ import annotations
import numpy as np

N = 70
LETTERS = "ACGT"
CODE = np.array([ord(c) for c in LETTERS], dtype=np.uint8)
HEX = np.frombuffer(b"0123456789abcdef", dtype="uint8")
TAG = b"\x01\\\101"
WORD = "ab" + 'c\t'


def kernel(x: u8[N], key: u8 = 3) -> (u8[N], u8[N], bool[N], u8[N], u8[N]):
    lower = (x >= ord('a')) & (x <= ord('z'))
    shifted = np.where(lower, (x - ord('a') + key % 26) % 26 + ord('a'), x)
    vowel = np.zeros(N, dtype=bool)
    for c in "aeiou":
        vowel |= x == ord(c)
    y = x
    for i, c in enumerate(WORD):
        y = y ^ ord(WORD[-1 - i]) if c in "xyzb" else y + ord(c)
    for b in TAG:
        y = y * 3 + b
    y = y + len(WORD[1:]) + (WORD[:2] == "ab") + (chr(65) < "B")
    return CODE[x & 3], HEX[x >> 4], vowel, shifted, y
