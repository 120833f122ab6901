"""One generation of the game of life on a torus."""
from __future__ import annotations
import numpy as np

H = 48
W = 80


def life(cells: u8[H, W]) -> u8[H, W]:
    cells = cells & 1
    near = np.zeros((H, W), dtype=np.uint8)
    for dy in range(-1, 2):
        for dx in range(-1, 2):
            if dy != 0 or dx != 0:
                near += np.roll(cells, (dy, dx), axis=(0, 1))
    alive = (near == 3) | ((near == 2) & (cells == 1))
    return alive.astype(np.uint8)
