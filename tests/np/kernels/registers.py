from __future__ import annotations
import numpy as np
H = 17
W = 23

# layout: forced = registers(2)
# layout: pairs = split(4)
# layout: v = split(8)
# layout: plain = lanes
def registers(rgb: u8[H, W, 3], p: i32[3, 70], q: i32[3, 70], pairs: i16[5, 24], v: i32[64], forced: u16[4, 6, 8],
              plain: i32[3, 11]):
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
    best = np.argmax(q, axis=0)
    dot = (p * q).sum(axis=0, dtype=np.int32)
    pairs[:, 1::2] = 7
    s = pairs.sum(axis=1, dtype=np.int16)
    t = pairs * 2 - pairs[:, ::-1]
    e = v[::8] + v[5::8]
    f = v - v[3]
    g = v.min()
    v[9:50] = v[0:41]
    h = forced.sum(axis=(0, 1), dtype=np.uint16)
    i = forced.T
    j = forced[1] + forced[:, 2:3, 1:2].reshape(4)[3]
    k = forced.reshape(24, 8)[:, 3]
    x = plain[0] + plain[1] * plain[2]
    m = np.roll(p, 1, axis=0)
    n = np.concatenate((p[0:2], q), axis=0)
    o = n[4] - n[0]
    r = np.where(p > q, p, q)
    return grey, dark, total, most, best, dot, s, t, e, f, g, h, i, j, k, x, m, n, o, r
