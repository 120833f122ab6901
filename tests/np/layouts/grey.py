from __future__ import annotations
import numpy as np

def grey(rgb: u8[48, 64, 3]) -> u8[48, 64]:
    wide = rgb.astype(np.uint16)
    return ((wide[..., 0] + wide[..., 1] * 2 + wide[..., 2]) >> 2).astype(np.uint8)
