from __future__ import annotations
import numpy as np

N = 4
WORD = "straße"


def f(x: u8[N]):
    for c in WORD:
        x = x + ord(c)
    y = x + ord("ab") + chr(300)
    z = x + ord("abc"[7])
    return y + z + ("a" * "b") + ("a" < 3)
