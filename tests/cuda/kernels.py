# SPDX-License-Identifier: MIT
"""The twelve workloads of the near-bank SIMT paper's Table I and fourteen kernels more, from the PTX
that compilers made of them (kernels/, examples/cuda), against NumPy: integers and moves exactly, sums
of floats within 1e-4.  Sizes divide nothing; inputs have a fixed seed.

    kernels.py ROOT TARGET[,TARGET..] [KERNEL..]

TARGET+ has golden beside it.  KERNEL is a file's name without its ending; COMPILERS in the environment (O1,O2,nvcc) chooses texts,
and RENAMED names a program that changes them."""

import os
import pathlib
import subprocess
import sys

import numpy as np

import mpusim

root = pathlib.Path(sys.argv[1])
rng = None  # of the case that runs: by its name, so that cases do not depend on one another


def floats(*shape, low=-2.0, high=2.0):
    return rng.uniform(low, high, shape).astype(np.float32)


def ints(*shape, low=-1000, high=1000, dtype=np.int32):
    return rng.integers(low, high, shape, dtype=dtype)


class Text:
    """One PTX text on a device: kernels by name, buffers from arrays."""

    def __init__(self, path, device):
        self.device = device
        if os.environ.get("RENAMED"):  # a program that prints the text with other registers
            text = subprocess.run([os.environ["RENAMED"], path], check=True, capture_output=True, text=True)
            self.module = mpusim.module(text.stdout, form="ptx", name=path.name, device=device)
        else:
            self.module = mpusim.module(path, device=device)

    def run(self, kernel, grid, block, *arguments, shared=0):
        """Launches with arrays as buffers; gives what they hold behind it, in their order."""
        made = [mpusim.buffer(a, device=self.device) if isinstance(a, np.ndarray) else a
                for a in arguments]
        self.module[kernel][grid, block, shared](*made)
        return [m.numpy() for m, a in zip(made, arguments) if isinstance(a, np.ndarray)]


def same(name, got, right):
    right = np.asarray(right)
    if got.shape != right.shape:
        got = got.reshape(right.shape)
    if not np.array_equal(got, right.astype(got.dtype)):
        bad = np.argwhere(got != right)
        at = tuple(bad[0])
        raise AssertionError(f"{name}: {len(bad)} elements differ, [{at}] is {got[at]}, not {right[at]}")


def near(name, got, right, relative=1e-4, absolute=1e-6):
    got = got.reshape(right.shape).astype(np.float64)
    if not np.all(np.isfinite(got)):
        raise AssertionError(f"{name}: not finite at {np.argwhere(~np.isfinite(got))[0]}")
    error = np.abs(got - right) - absolute
    bad = error > relative * np.abs(right)
    if bad.any():
        at = tuple(np.argwhere(bad)[0])
        raise AssertionError(f"{name}: [{at}] is {got[at]}, not {right[at]}")


def blocks(n, block):
    return -(-n // block)


def wide(a):
    return a.astype(np.float64)


# ---- Table I ----


def blur(t):
    h, w = 37, 53
    image = floats(h, w)
    out, = t.run("blur", (blocks(w, 16), blocks(h, 8)), (16, 8), image, np.zeros_like(image), w, h)[1:]
    rim = np.pad(wide(image), 1, mode="edge")
    near("blur", out, sum(rim[y:y + h, x:x + w] for y in range(3) for x in range(3)) / 9)


def conv(t):
    c, f, h, w = 3, 5, 21, 35
    image, weights = floats(c, h, w), floats(f, c, 3, 3)
    out = t.run("conv", (blocks(w - 2, 16), blocks(h - 2, 8), f), (16, 8), image, weights,
                np.zeros((f, h - 2, w - 2), np.float32), c, w, h)[2]
    right = np.zeros((f, h - 2, w - 2))
    for y in range(3):
        for x in range(3):
            right += np.einsum("fc,chw->fhw", wide(weights[:, :, y, x]),
                               wide(image[:, y:y + h - 2, x:x + w - 2]))
    near("conv", out, right, absolute=1e-5)


def gemv(t):
    rows, columns = 29, 307
    a, x = floats(rows, columns), floats(columns)
    y = t.run("gemv", rows, 128, a, x, np.zeros(rows, np.float32), columns)[2]
    near("gemv", y, wide(a) @ wide(x), absolute=1e-4)


def hist(t):
    x = floats(3001, low=-1.5, high=1.5)
    x[:4] = [-1, 1, np.nextafter(np.float32(1), np.float32(0)), 0]
    bins = t.run("hist", 5, 96, x, np.zeros(64, np.int32), x.size, -1.0, 1.0)[1]
    scaled = (x - np.float32(-1)) * np.float32(32)
    taken = scaled[(x >= -1) & (scaled < 64)].astype(np.int32)
    same("hist", bins, np.bincount(taken, minlength=64))


def kmeans(t):
    n, k, d = 517, 7, 5
    points, centres = ints(d, n, low=-50, high=50).astype(np.float32), ints(k, d, low=-50, high=50).astype(np.float32)
    nearest = t.run("kmeans_assign", blocks(n, 64), 64, points, centres, np.zeros(n, np.int32), n, k, d)[2]
    right = ((points.T[:, None, :] - centres[None]) ** 2).sum(2).argmin(1)
    same("kmeans_assign", nearest, right)
    sums, counts = t.run("kmeans_sum", blocks(n, 64), 64, points, nearest, np.zeros((k, d), np.float32),
                         np.zeros(k, np.int32), n, d)[2:]
    same("kmeans_sum", counts, np.bincount(right, minlength=k))
    same("kmeans_sum", sums, np.array([points[:, right == j].sum(1) for j in range(k)]))


def knn(t):
    n = 777
    places = floats(n, 2, low=-90, high=90)
    out = t.run("knn", blocks(n, 128), 128, places, np.zeros(n, np.float32), n, 30.5, -60.25)[1]
    near("knn", out, np.hypot(wide(places[:, 0]) - 30.5, wide(places[:, 1]) + 60.25))


def ttrans(t):
    planes, rows, columns = 3, 45, 71
    a = floats(planes, rows, columns)
    out = t.run("ttrans", (blocks(columns, 32), blocks(rows, 32), planes), (32, 8), a,
                np.zeros((planes, columns, rows), np.float32), rows, columns)[1]
    same("ttrans", out, a.transpose(0, 2, 1))


def maxp(t):
    h, w = 43, 67
    a = floats(h, w)
    out = t.run("maxp", (blocks(w // 2, 16), blocks(h // 2, 8)), (16, 8), a,
                np.zeros((h // 2, w // 2), np.float32), w, h)[1]
    same("maxp", out, a[:h // 2 * 2, :w // 2 * 2].reshape(h // 2, 2, w // 2, 2).max((1, 3)))


def nw(t):
    tiles, penalty = 3, 10
    n = 16 * tiles + 1
    reference = ints(n, n, low=-10, high=11)
    scores = np.zeros((n, n), np.int32)
    scores[0] = scores[:, 0] = -penalty * np.arange(n)
    right = scores.copy()
    for i in range(1, n):
        for j in range(1, n):
            right[i, j] = max(right[i - 1, j - 1] + reference[i, j],
                              max(right[i, j - 1], right[i - 1, j]) - penalty)
    held = mpusim.buffer(scores, device=t.device), mpusim.buffer(reference, device=t.device)
    for d in range(2 * tiles - 1):
        first = max(0, d - tiles + 1)
        t.module["nw"][min(d, tiles - 1) - first + 1, 16](held[1], held[0], n, penalty, d, first)
    same("nw", held[0].numpy(), right)


def upsamp(t):
    h, w = 19, 27
    a = floats(h, w)
    out = t.run("upsamp", (blocks(2 * w, 16), blocks(2 * h, 8)), (16, 8), a,
                np.zeros((2 * h, 2 * w), np.float32), w, h)[1]

    def lines(b, n):  # twice as many rows
        i = np.arange(2 * n)
        other = np.where(i % 2, np.minimum(i // 2 + 1, n - 1), np.maximum(i // 2 - 1, 0))
        return 0.75 * b[i // 2] + 0.25 * b[other]

    near("upsamp", out, lines(lines(wide(a), h).T, w).T)


def axpy(t):
    x, y = floats(1003), floats(1003)
    out = t.run("axpy", 3, 128, x, y, 1.5, x.size)[1]
    near("axpy", out, 1.5 * wide(x) + y)


def pr(t):
    x = floats(3333)
    grid = blocks(x.size, 512)
    sums = t.run("pr", grid, 256, x, np.zeros(grid, np.float32), x.size)[1]
    padded = np.zeros(grid * 512)
    padded[:x.size] = x
    near("pr", sums, padded.reshape(grid, 512).sum(1), absolute=1e-4)


# ---- fourteen more ----


def histogram(t):
    data = ints(4567, low=0, high=256, dtype=np.uint8)
    bins = t.run("histogram", 4, 96, data, np.zeros(256, np.uint32), data.size)[1]
    same("histogram", bins, np.bincount(data, minlength=256))


def scan(t):
    n = 1801
    x = ints(n)
    grid = blocks(n, 512)
    out, totals = t.run("scan_blocks", grid, 256, x, np.zeros(n, np.int32), np.zeros(grid, np.int32), n)[1:]
    before = np.concatenate([[0], np.cumsum(totals)[:-1]]).astype(np.int32)
    out = t.run("scan_add", grid, 256, out, before, n)[0]
    same("scan", out, np.cumsum(x))


def segscan(t):
    n = 1500
    x, head = ints(n), (rng.random(n) < 0.02).astype(np.uint8)
    right = [0]
    for a, begins in zip(x, head):
        right.append(a if begins else right[-1] + a)
    same("segscan", t.run("segscan", 1, 192, x, head, np.zeros(n, np.int32), n)[2], right[1:])


def transpose(t):
    rows, columns = 37, 45
    grid = blocks(columns, 16), blocks(rows, 16)
    for name, a in (("u16", ints(rows, columns, low=0, high=65536, dtype=np.uint16)),
                    ("f64", rng.normal(size=(rows, columns)))):
        out = t.run(f"transpose_{name}", grid, (16, 16), a, np.zeros((columns, rows), a.dtype), rows,
                    columns)[1]
        same(f"transpose_{name}", out, a.T)


def shuffles(t):
    n = 1000
    grid, warps = blocks(n, 96), blocks(n, 96) * 3
    padded = np.zeros(warps * 32)
    x = floats(n)
    padded[:n] = x
    near("warp_sums", t.run("warp_sums", grid, 96, x, np.zeros(warps, np.float32), n)[1],
         padded.reshape(-1, 32).sum(1), absolute=1e-5)
    x = ints(n)
    whole = np.zeros(warps * 32, np.int32)
    whole[:n] = x
    same("warp_scan", t.run("warp_scan", grid, 96, x, np.zeros(n, np.int32), n)[1],
         whole.reshape(-1, 32).cumsum(1).reshape(-1)[:n])
    out, counts = t.run("warp_pack", grid, 96, x, np.zeros(warps * 32, np.int32),
                        np.zeros(warps, np.int32), n, 100)[1:]
    for w in range(warps):
        kept = x[32 * w:32 * w + 32]
        kept = kept[kept > 100]
        same("warp_pack", counts[w:w + 1], [kept.size])
        same("warp_pack", out[32 * w:32 * w + kept.size], kept)
    v = rng.normal(size=n)
    out = t.run("warp_spread", grid, 96, v, np.zeros(n), n)[1]
    i = np.arange(n)
    same("warp_spread", out, v[i // 8 * 8 + i % 8 // 2])


def stencil(t):
    nz, ny, nx = 7, 19, 37
    a = floats(nz, ny, nx)
    out = t.run("stencil", (blocks(nx, 16), blocks(ny, 8)), (16, 8), a, np.zeros_like(a), nx, ny, nz,
                0.5, 0.125)[1]
    p = np.pad(wide(a), 1)
    right = 0.5 * p[1:-1, 1:-1, 1:-1] + 0.125 * (
        p[:-2, 1:-1, 1:-1] + p[2:, 1:-1, 1:-1] + p[1:-1, :-2, 1:-1] + p[1:-1, 2:, 1:-1] +
        p[1:-1, 1:-1, :-2] + p[1:-1, 1:-1, 2:])
    near("stencil", out, right, absolute=1e-5)


def csr(rows, columns, most):
    counts = ints(rows, low=0, high=most)
    first = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    return first, ints(int(first[-1]), low=0, high=columns)


def sparse(t):
    rows, columns = 131, 97
    first, where = csr(rows, columns, 70)
    values, x = rng.normal(size=where.size), rng.normal(size=columns)
    right = np.array([values[a:b] @ x[where[a:b]] for a, b in zip(first, first[1:])])
    y = t.run("spmv_thread", blocks(rows, 64), 64, first, where, values, x, np.zeros(rows), rows)[4]
    near("spmv_thread", y, right, relative=1e-12, absolute=1e-12)
    y = t.run("spmv_warp", blocks(rows, 3), 96, first, where, values.astype(np.float32),
              x.astype(np.float32), np.zeros(rows, np.float32), rows)[4]
    near("spmv_warp", y, right, absolute=1e-5)


def nbody(t):
    n, block = 83, 32
    bodies = floats(n, 4)
    out = t.run("nbody", blocks(n, block), block, bodies, np.zeros((n, 4), np.float32), n, 0.01,
                shared=16 * block)[1]
    d = wide(bodies)[None, :, :3] - wide(bodies)[:, None, :3]
    pull = wide(bodies)[None, :, 3] * ((d ** 2).sum(2) + 0.01) ** -1.5
    right = np.zeros((n, 4))
    right[:, :3] = (pull[:, :, None] * d).sum(1)
    near("nbody", out, right, absolute=1e-3)


def blackscholes(t):
    n = 501
    s, x, years = floats(n, low=5, high=30), floats(n, low=1, high=100), floats(n, low=0.25, high=10)
    call, put = t.run("blackscholes", 3, 128, s, x, years, np.zeros(n, np.float32),
                      np.zeros(n, np.float32), 0.02, 0.3, n)[3:]
    s, x, years = wide(s), wide(x), wide(years)
    d1 = (np.log(s / x) + (0.02 + 0.045) * years) / (0.3 * np.sqrt(years))
    d2 = d1 - 0.3 * np.sqrt(years)

    def normal(d):
        k = 1 / (1 + 0.2316419 * np.abs(d))
        p = k * (0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
        tail = np.exp(-d * d / 2) / np.sqrt(2 * np.pi) * p
        return np.where(d > 0, 1 - tail, tail)

    money = x * np.exp(-0.02 * years)
    near("call", call, s * normal(d1) - money * normal(d2), absolute=1e-4)
    near("put", put, money * (1 - normal(d2)) - s * (1 - normal(d1)), absolute=1e-4)


def sobel(t):
    h, w = 33, 47
    a = ints(h, w, low=0, high=256, dtype=np.uint8)
    out = t.run("sobel", (blocks(w, 16), blocks(h, 8)), (16, 8), a, np.full_like(a, 7), w, h)[1]
    p, right = a.astype(int), np.zeros((h, w), int)
    gx = p[:-2, 2:] + 2 * p[1:-1, 2:] + p[2:, 2:] - p[:-2, :-2] - 2 * p[1:-1, :-2] - p[2:, :-2]
    gy = p[2:, :-2] + 2 * p[2:, 1:-1] + p[2:, 2:] - p[:-2, :-2] - 2 * p[:-2, 1:-1] - p[:-2, 2:]
    right[1:-1, 1:-1] = np.minimum(np.abs(gx) + np.abs(gy), 255)
    same("sobel", out, right)


def bitonic(t):
    n = 1700
    x = rng.integers(0, 1 << 32, n, dtype=np.uint32)
    out = t.run("bitonic", blocks(n, 512), 512, x, np.zeros(n, np.uint32), n)[1]
    same("bitonic", out, np.concatenate([np.sort(x[i:i + 512]) for i in range(0, n, 512)]))


def gemm(t):
    rows, inner, columns = 35, 51, 43
    a, b, c = floats(rows, inner), floats(inner, columns), floats(rows, columns)
    shape = np.array([(rows, inner, columns, 1.5, -0.5)], "i4,i4,i4,f4,f4").tobytes()
    out = t.run("gemm", (blocks(columns, 16), blocks(rows, 16)), (16, 16), a, b, c, shape)[2]
    near("gemm", out, 1.5 * (wide(a) @ wide(b)) - 0.5 * wide(c), absolute=1e-4)


def bfs(t):
    nodes = 301
    first, targets = csr(nodes, nodes, 5)
    distance = np.full(nodes, -1, np.int32)
    distance[0] = 0
    right = distance.copy()
    held = [mpusim.buffer(a, device=t.device) for a in (first, targets, distance)]
    changed = mpusim.buffer(np.zeros(1, np.int32), device=t.device)
    level, more = 0, True
    while more:
        changed.put(0)
        t.module["bfs_step"][blocks(nodes, 64), 64](*held, changed, level, nodes)
        more = bool(changed.numpy()[0])
        level += 1
    front = [0]
    while front:
        front = [w for v in front for w in targets[first[v]:first[v + 1]]
                 if right[w] < 0 and not right.__setitem__(w, right[v] + 1)]
    same("bfs", held[2].numpy(), right)
    assert level == right.max() + 1


def approx(t):
    n = 333
    x, y = floats(n), floats(n)
    a = np.abs(x) + np.float32(0.125)
    out = t.run("approx", blocks(n, 64), 64, x, np.zeros((8, n), np.float32), n)[1]
    near("approx", out, np.array([np.exp(wide(x) / 4), np.log(wide(a)), np.sin(wide(x)), np.cos(wide(x)),
                                  x / wide(a), wide(a) ** -0.5, np.clip(wide(x), 0, 1), wide(a) ** 1.5]),
         absolute=1e-5)
    out = t.run("functions", blocks(n, 64), 64, x, np.zeros((10, n), np.float32), n)[1]
    near("functions", out, np.array([
        np.exp(wide(x)), np.log(wide(a)), wide(a) ** x, np.sin(wide(x * np.float32(100))),
        np.cos(wide(x * np.float32(1e6))), np.tanh(wide(x)), np.fmod(x * np.float32(1000), a), np.rint(x),
        np.arctan2(wide(x), wide(np.float32(1) - x)), np.cbrt(wide(x))]), relative=1e-6, absolute=1e-7)
    out, whole = t.run("rounded", blocks(n, 64), 64, x, y, np.zeros((4, n), np.float32),
                       np.zeros((4, n), np.int32), n)[2:]

    def toward(v, to):  # the float beside the exact v in that direction, or v
        f = v.astype(np.float32)
        beyond = wide(f) > v if to < 0 else wide(f) < v
        return np.where(beyond, np.nextafter(f, np.float32(to * np.inf)), f)

    total, product = wide(x) + y, wide(x) * y
    same("rounded", out[0], np.where(total < 0, toward(total, 1), toward(total, -1)))
    same("rounded", out[1], toward(product, 1))
    fused = np.longdouble(x) * np.longdouble(y) + np.longdouble(x)
    f = fused.astype(np.float32)
    same("rounded", out[2], np.where(f > fused, np.nextafter(f, np.float32(-np.inf)), f))
    same("rounded", out[3], np.floor(x) + np.ceil(y) + np.trunc(x))
    bits, i = x.view(np.uint32), np.arange(n)
    clz = np.array([32 - int(b).bit_length() for b in bits])
    popc = np.array([bin(v).count("1") for v in i])
    high = (i.astype(object) * 77777777 % 2**32 * 99999 >> 32).astype(np.int64)
    same("rounded", whole, np.array([np.rint(x), np.floor(x), np.trunc(x), clz + popc + high], np.int64))
    out = t.run("halves", blocks(n, 64), 64, x, y, np.zeros((4, n), np.uint16), n)[2]
    h, k = x.astype(np.float16), y.astype(np.float16)
    fma = (wide(h) * wide(k) + wide(h)).astype(np.float16)
    scaled = (h.astype(np.float32) * np.float32(0.3)).astype(np.float16)
    same("halves", out, np.array([h + k, h * k, fma, scaled]).view(np.uint16))


def lists(t):
    n, length = 211, 12
    values, what = ints(n, length), ints(n, low=0, high=11)

    def quotient(a, b):
        return int(abs(a) // b) * (1 if a >= 0 else -1)

    right, tickets = np.empty(n, np.int64), 0
    for i in range(n):
        v = [int(a) for a in values[i]]
        result = -1
        if what[i] == 0:
            result = sum(v)
        elif what[i] == 1:
            result = sorted(v)[length // 2]
        elif what[i] == 2:
            result = v[0] * v[-1]
        elif what[i] == 3:
            v[:length // 2] = sorted(v[:length // 2])
            result = quotient(sum(v[length // 4:length // 4 + length // 4]), 3)
        elif what[i] == 5:
            result = v[i % length] - 7 * quotient(v[i % length], 7)
        elif what[i] == 9:
            result = 0
            for a in v:
                if a < -900:
                    break
                if a % 2 == 0:
                    result = result * 31 + a
        right[i] = result
        tickets += what[i] in (0, 1, 2, 3, 5, 9)
    out = t.run("lists", blocks(n, 64), 64, values, what, np.zeros(n, np.int64), n, length)[2]
    right[what == 9] = wrapped(values[what == 9])
    same("lists", out, right)
    same("tickets", t.run("tickets", 1, 1, np.zeros(1, np.int32))[0], [tickets])


def wrapped(rows):
    """What case 9 computes, modulo 2^64."""
    results = []
    for row in rows:
        result = 0
        for a in row:
            if a < -900:
                break
            if a % 2 == 0:
                result = result * 31 + int(a)
        results.append((result + 2**63) % 2**64 - 2**63)
    return results


# ---- examples ----


def saxpy(t):
    x, y = floats(1001), floats(1001)
    near("saxpy", t.run("saxpy", 4, 256, x.size, 2.5, x, y)[1], 2.5 * wide(x) + y)


def reduce(t):
    x = ints(5003)
    same("reduce", t.run("reduce", 3, 160, x, np.zeros(1, np.int32), x.size)[1], [x.sum()])


CASES = {f.__name__: f for f in (
    blur, conv, gemv, hist, kmeans, knn, ttrans, maxp, nw, upsamp, axpy, pr,
    histogram, scan, segscan, transpose, shuffles, stencil, sparse, nbody, blackscholes, sobel, bitonic, gemm, bfs,
    approx, lists, saxpy, reduce)}


def texts(name):
    """The PTX texts of a case: from clang at both levels and, where there is one, from nvcc."""
    folder = root / "tests/ptx"
    of = {"O1": folder / f"O1/{name}.ptx", "O2": folder / f"O2/{name}.ptx", "nvcc": folder / f"nvcc/{name}.ptx"}
    if not of["O2"].exists():
        of["O2"] = root / f"examples/cuda/{name}.ptx"
    found = [of[c] for c in os.environ.get("COMPILERS", "O1,O2,nvcc").split(",") if of[c].exists()]
    if len(found) < min(2, len(os.environ.get("COMPILERS", "O1,O2").split(","))):
        raise SystemExit(f"{name}: the texts of clang are not there")
    if "nvcc" in os.environ.get("COMPILERS", "nvcc"):
        found += sorted((folder / "nvcc").glob(f"{name}.*.ptx"))
    return found


def main():
    global rng
    wrong = count = 0
    for target in sys.argv[2].split(","):
        for name in sys.argv[3:] or CASES:
            for path in texts(name):
                rng = np.random.default_rng(sum(map(ord, name)))
                try:
                    CASES[name](Text(path, mpusim.device(target.rstrip("+"), check="+" in target)))
                    count += 1
                except (AssertionError, mpusim.Error) as e:
                    print(f"{target} {path.relative_to(root)}: {e}")
                    wrong += 1
    print(f"{count} texts give NumPy's results, {wrong} do not")
    return 1 if wrong or not count else 0


if __name__ == "__main__":
    sys.exit(main())
