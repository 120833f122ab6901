from __future__ import annotations
import numpy as np

# layout: x = split(4)
# layout: y = registers(1)
# layout: z = lanes
def asked(x: i32[64], y: i32[10, 4], z: i32[2, 40]):
    return x.sum(dtype=np.int32), y * 2, z[0] + z[1]
