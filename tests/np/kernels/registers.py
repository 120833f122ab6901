from __future__ import annotations
import numpy as np
H = 17
W = 23

# layouts: p = registers(0) | split(2) | split(5)
# layouts: swapped = lanes | registers(2) | split(3)
# layouts: dark = registers(2) | lanes | split(3)
# layouts: rgb = split(3) | lanes

def registers(rgb: u8[H, W, 3], p: i32[3, 70], q: i32[3, 70]):
    grey = (rgb[..., 0].astype(np.uint16) + rgb[:, :, 1].astype(np.uint16) * 2 + rgb[:, :, -1].astype(np.uint16)) >> 2
    swapped = np.stack((rgb[:, :, 2], rgb[:, :, 1], rgb[:, :, 0]), axis=-1)
    dark = swapped // 2 + 1
    total = p.sum(axis=0, dtype=np.int32)
    most = np.max(p + q * 3)
    p += q
    p[1] = q[2] - 1
    p[0, 3:60:5] = q[1, 0]
    q[0:2] = q[1:3]
    q += q[::-1]
    dot = (p * q).sum(axis=0, dtype=np.int32)
    n = np.concatenate((p[0:2], q), axis=0)
    o = n[4] - n[0]
    r = np.where(p > q, p, q)
    return grey, dark, total, most, dot, o, r
