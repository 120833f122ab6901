"""Pixels brighter by a number, up to white."""
from __future__ import annotations
import numpy as np

H = 100
W = 60


def brightness(img: u8[H, W], by: u8) -> u8[H, W]:
    wide = img.astype(np.uint16) + by
    out = np.minimum(wide, 255).astype(np.uint8)
    return out
