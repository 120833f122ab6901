# SPDX-License-Identifier: MIT
"""Launches of PTX on golden and on SIMT cores against NumPy, from Python and by --launch.

    launches.py TEXTS MPU_RUN EZPIM"""
import pathlib
import subprocess
import sys
import tempfile

import mpusim
import numpy as np

texts, mpu_run, ezpim = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
rng = np.random.default_rng(3)


def run(*args, fails=None):
    done = subprocess.run([mpu_run, "--target", target, *map(str, args)], capture_output=True,
                          text=True)
    if fails is None:
        assert done.returncode == 0, done.stderr
    else:
        assert done.returncode != 0 and fails in done.stderr, (fails, done.stderr)
    return done.stdout


def saxpy(text, n):
    x, y = (rng.standard_normal(n).astype(np.float32) for _ in range(2))
    wanted = (np.float64(1.5) * x + y).astype(np.float32)
    device = mpusim.device(target)
    module = mpusim.module(text, device=device)
    bx, by = mpusim.buffer(x, device=device), mpusim.buffer(y, device=device)
    module["saxpy"][(n + 127) // 128, 128](bx, by, 1.5, n)
    np.testing.assert_allclose(bx.numpy(), wanted, rtol=1e-5, atol=1e-6)
    assert (by.numpy() == y).all()
    for name in ("_Z5saxpyPfPKffi", "saxpy(float*, float const*, float, int)"):
        module[name][1, 1](bx, by, 0.0, 1)
        assert bx.numpy()[0] == y[0]


def two(text, block=64):
    """A structure by value, dynamic shared memory, a call, local and constant memory."""
    s = np.array([0, 0, 0, 0], np.int32)
    s[1:] = np.array([1, 2, 4], np.float32).view(np.int32)
    tab = [1, 2, 3, 4]
    local = [[1, 2, 4][i % 3] * i + tab[i & 3] for i in range(8)]
    device = mpusim.device(target)
    o = mpusim.buffer(shape=block, dtype=np.float32, device=device)
    mpusim.module(text, device=device)["two"][1, block, 4 * block](o, s.tobytes(), 7)
    assert (o.numpy() == sum(local[:7]) + 5).all(), o.numpy()


def by_command(text):
    with tempfile.TemporaryDirectory() as folder:
        at = pathlib.Path(folder)
        x, y = (rng.integers(-99, 99, 1000).astype(np.float32) for _ in range(2))
        np.save(at / "x.npy", x)
        np.save(at / "y.npy", y)
        files = ["--in", "x=%s" % (at / "x.npy"), "--in", "y=%s" % (at / "y.npy"), "--size", "n=1000",
                 "--out", "x=%s" % (at / "out.npy")]
        run(text, "--launch", "saxpy<<<(n+255)/256,256>>>(x,y,3,n)", *files)
        assert (np.load(at / "out.npy") == 3 * x + y).all()
        subprocess.run([ezpim, text, "-o", at / "k.o"], check=True)
        twice = "saxpy(float*, float const*, float, int)<<<4,256>>>(x,y,3,n)"
        run(at / "k.o", "--launch", twice, "--launch", "_Z5saxpyPfPKffi<<<1000>>>(x,y,3,n)", *files,
            fails="says its grid and its block")
        run(at / "k.o", "--launch", twice, "--launch", twice, *files)
        assert (np.load(at / "out.npy") == 3 * (3 * x + y) + y).all()
        for launch, fails in (("saxpy<<<1,2048>>>(x,y,3,n)", "at most 1024"),
                              ("saxpy<<<0,32>>>(x,y,3,n)", "an extent is a number"),
                              ("saxpy<<<1,32>>>(x,y,n)", "4 parameters"),
                              ("saxpi<<<1,32>>>(x,y,3,n)", "there is no kernel 'saxpi'"),
                              ("saxpy<<<9,256>>>(x,y,3,n+5000)", "lie in no buffer")):
            run(at / "k.o", "--launch", launch, *files, fails=fails)
        # what is launched as two
        one = text.read_text().split(".visible .entry", 1)
        body = one[1].split("\n}\n", 1)[0]
        other = ".visible .entry" + body.replace("_Z5saxpyPfPKffi", "_Z5saxpyPdPKffi").replace(
            "LBB", "MBB") + "\n}\n"
        head = one[0].split(".visible .func")[0]
        (at / "both.ptx").write_text(head + ".visible .entry" + body + "\n}\n" + other)
        run(at / "both.ptx", "--launch", "saxpy<<<1,32>>>(x,y,3,n)", *files,
            fails="two kernels are called 'saxpy'")


for target in ("golden", "simt"):
    for name in ("two.O1.ptx", "two.O2.ptx", "saxpy.debug.ptx"):
        for n in (1, 127, 500):
            saxpy(texts / name, n)
    for name in ("two.O1.ptx", "two.O2.ptx"):
        two(texts / name)
    by_command(texts / "two.O2.ptx")
