# SPDX-License-Identifier: MIT
"""Types of kernels' parameters, and inputs with the edges of their types among them."""
import numpy as np

TYPES = {"bool": np.bool_, "u8": np.uint8, "u16": np.uint16, "u32": np.uint32, "u64": np.uint64,
         "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64}


def draw(name, shape, rng):
    if name == "bool":
        return rng.integers(0, 2, shape).astype(np.bool_)
    info, dtype = np.iinfo(TYPES[name]), TYPES[name]
    x = rng.integers(info.min, info.max, shape, dtype=dtype, endpoint=True)
    if rng.integers(0, 3) == 0:
        x = rng.integers(0, 20, shape).astype(dtype)
    edges = np.array([info.min, info.max, 0, 1, info.max // 2], dtype=dtype)
    return np.where(rng.random(shape) < 0.1, edges[rng.integers(0, 5, shape)], x).astype(dtype)
