# SPDX-License-Identifier: MIT
"""The twelve workloads of Table I of the near-bank SIMT paper as launches of a size: each takes a
module, a device and a scale (1 or more), and gives how many bytes it moves at least."""
import pathlib

import mpusim
import numpy as np

NAMES = ("blur", "conv", "gemv", "hist", "kmeans", "knn", "ttrans", "maxp", "nw", "upsamp", "axpy", "pr")
SHARED = ("gemv", "hist", "kmeans", "nw", "pr", "ttrans")  # those with shared memory
# Sizes by scale n.  Where a block's threads work in loops it is these that grow, not the blocks.
SIZES = {"blur": "64 n x 128", "conv": "3 planes of (16 n + 2) x 66 into 4", "gemv": "128 x 512 n",
         "hist": "16,384 n into 64 bins, 16 blocks", "kmeans": "4,096 n points, 8 means, 4 dimensions",
         "knn": "16,384 n", "ttrans": "n planes of 96 x 96", "maxp": "128 n x 256", "nw": "64 k x 64 k, k the root of n rounded down",
         "upsamp": "32 n x 64", "axpy": "16,384 n", "pr": "65,536 n, 128 blocks"}


def text_of(root, name, compiler="clang"):
    """PTX of clang at -O2, or of nvcc.  PR's threads add up several numbers first, as CUB's do."""
    if name == "pr":
        return root / "tests" / "simt" / "kernels" / ("sums.ptx" if compiler == "clang" else "sums.nvcc.ptx")
    return root / "tests" / "ptx" / ("O2" if compiler == "clang" else "nvcc") / f"{name}.ptx"


def launcher(device, text):
    module = mpusim.module(pathlib.Path(text), device=device)

    def run(kernel, grid, block, *arguments):
        made = [mpusim.buffer(a, device=device) if isinstance(a, np.ndarray) else a for a in arguments]
        module[kernel][grid, block](*made)
        return [m.numpy() for m, a in zip(made, arguments) if isinstance(a, np.ndarray)]

    return module, run


def launch(name, device, text, scale, spread=1):
    """Runs it; gives what it computed, so that policies can be compared.  So many times as many blocks: spread."""
    module, run = launcher(device, text)
    rng = np.random.default_rng(7)
    if name not in ("gemv", "hist", "pr"):
        scale *= spread

    def floats(*shape):
        return rng.uniform(-2, 2, shape).astype(np.float32)

    if name == "blur":
        h, w = 64 * scale, 128
        return run(name, (w // 32, h // 8), (32, 8), floats(h, w), np.zeros((h, w), np.float32), w, h)
    if name == "conv":
        c, f, h, w = 3, 4, 16 * scale + 2, 66
        return run(name, (2, h // 8, f), (32, 8), floats(c, h, w), floats(f, c, 3, 3),
                   np.zeros((f, h - 2, w - 2), np.float32), c, w, h)
    if name == "gemv":
        rows, columns = 128 * spread, 512 * scale
        return run(name, rows, 128, floats(rows, columns), floats(columns), np.zeros(rows, np.float32), columns)
    if name == "hist":
        x = floats(16384 * scale * spread)
        return run(name, 16 * spread, 256, x, np.zeros(64, np.int32), x.size, -2.0, 2.0)
    if name == "kmeans":
        n, k, d = 4096 * scale, 8, 4
        points = rng.integers(-50, 50, (d, n)).astype(np.float32)
        centres = rng.integers(-50, 50, (k, d)).astype(np.float32)
        nearest = run("kmeans_assign", n // 256, 256, points, centres, np.zeros(n, np.int32), n, k, d)[2]
        return run("kmeans_sum", n // 256, 256, points, nearest, np.zeros((k, d), np.float32),
                   np.zeros(k, np.int32), n, d)
    if name == "knn":
        n = 16384 * scale
        return run(name, n // 256, 256, floats(n, 2), np.zeros(n, np.float32), n, 30.5, -60.25)
    if name == "ttrans":
        return run(name, (3, 3, scale), (32, 8), floats(scale, 96, 96), np.zeros((scale, 96, 96), np.float32), 96, 96)
    if name == "maxp":
        h, w = 128 * scale, 256
        return run(name, (w // 64, h // 16), (32, 8), floats(h, w), np.zeros((h // 2, w // 2), np.float32), w, h)
    if name == "nw":
        tiles = 4 * int(scale ** 0.5)
        n = 16 * tiles + 1
        reference = rng.integers(-10, 11, (n, n)).astype(np.int32)
        scores = np.zeros((n, n), np.int32)
        scores[0] = scores[:, 0] = -10 * np.arange(n)
        held = mpusim.buffer(scores, device=device), mpusim.buffer(reference, device=device)
        for d in range(2 * tiles - 1):
            first = max(0, d - tiles + 1)
            module["nw"][min(d, tiles - 1) - first + 1, 16](held[1], held[0], n, 10, d, first)
        return [held[0].numpy()]
    if name == "upsamp":
        h, w = 32 * scale, 64
        return run(name, (2 * w // 32, 2 * h // 8), (32, 8), floats(h, w), np.zeros((2 * h, 2 * w), np.float32), w, h)
    if name == "axpy":
        n = 16384 * scale
        return run(name, n // 256, 256, floats(n), floats(n), 1.5, n)
    x = floats(65536 * scale * spread)
    return run("sums", 128 * spread, 256, x, np.zeros(128 * spread, np.float32), x.size)


def measure(name, text, scale, target="simt", spread=1, threads=0, **keys):
    """Figures of the machine, and what it computed."""
    settings = {"simt." + k if "__" not in k else k.replace("__", "."): v for k, v in keys.items()}
    device = mpusim.device(target, set={"simt.cores": "one", **settings}, threads=threads)
    results = launch(name, device, text, scale, spread)
    stats = device.stats()
    device.close()
    return stats, results
