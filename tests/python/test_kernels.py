# SPDX-License-Identifier: MIT
"""Buffers, modules and launches from Python, on the toy core of tests/machines: MPU_LIBRARY is a
libmpu that knows it, MPU_RUN the command with it, LAUNCH_ONCE a program in C."""

import gc
import json
import os
import pathlib
import struct
import subprocess
import tempfile
import unittest

import numpy as np

import mpusim

CORE = str(pathlib.Path(__file__).resolve().parents[1] / "machines/core/core.yaml")
SCALE = """
            li x6 3
            shl x6 x15 x6
            add x7 x1 x6
            add x8 x2 x6
            ld x9 (x7)
            add x9 x9 x3
            st x9 (x8)
            end
"""
TEXT = f""".buffer counts: i64[2]
.entry add(x: i64[], y: i64[], a: i16){SCALE}
.entry count()
            li x5 1
            ld x6 (x1)
            add x6 x6 x5
            st x6 (x1)
            end
.entry lost(n: u64)
            ld x5 (x1)
            end
.entry pair(p: bytes[16, 8])
            add x5 x1 x2
            st x5 (x3)
            end
"""
PROGRAM = f"""
        .buffer in x: i64[6]
        .buffer out y: i64[6]
        .kernel add core(x: i64[], y: i64[], a: i16)
{SCALE}
        .endkernel
main:   RECIPE add<<<3, 2>>>(x, y, -7)
        HALT
"""


class Kernels(unittest.TestCase):
    def setUp(self):
        self.dev = mpusim.device(CORE)
        self.module = mpusim.module(TEXT, form="core", name="toy.core", device=self.dev)

    def tearDown(self):
        self.dev.close()

    def test_as_a_program(self):
        """Values, time and energy are those of the same launch in a program."""
        x = np.arange(6, dtype=np.int64) ** 3
        a, b = mpusim.buffer(x, device=self.dev), mpusim.buffer(shape=6, dtype=np.int64,
                                                                device=self.dev)
        self.module["add"][3, 2](a, b, -7)
        y = b.numpy()
        self.assertEqual(y.tolist(), (x - 7).tolist())
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "p.s")
            path.write_text(PROGRAM)
            there = mpusim.run(path, CORE, x=x)
        self.assertEqual(there.y.tolist(), y.tolist())
        here, there = self.dev.stats(), there.stats
        for part, names in (("total", ("time_ps", "energy_fj", "micro_ops")),
                            ("machine", ("launches", "taken_branches", "port_stall_cycles")),
                            ("load", ("time_ps", "energy_fj")), ("host", ("bytes_in", "bytes_out", "time_ps"))):
            for name in names:
                self.assertEqual(here[part][name], there[part][name], (part, name))

    def test_five_ways(self):
        """One launch from assembly, ezpim, the command line, C and Python."""
        for layout in ("", " .split x 16 0\n .split y 16 0\n"):
            body = SCALE if not layout else layout + " ld x9 (x1)\n add x9 x9 x3\n st x9 (x2)\n end\n"
            kernel = "add(x: i64[], y: i64[], a: i16)"
            buffers = "buffer in x: i64[n]", "buffer out y: i64[n]"
            asm = (f".size n\n .{buffers[0]}\n .{buffers[1]}\n"
                   f" .kernel add core(x: i64[], y: i64[], a: i16)\n{body}\n .endkernel\n"
                   "main: RECIPE add<<<GRID, BLOCK>>>(x, y, NUMBER)\n HALT\n")
            ez = (f"size n;\n{buffers[0]};\n{buffers[1]};\nkernel add core(x: i64[], y: i64[], a: i16) "
                  f"{{\n{body}\n}}\nmain {{ launch add<<<GRID, BLOCK>>>(x, y, NUMBER); }}\n")
            for n, grid, block, a in (1, 1, 1, 5), (6, 3, 2, -7), (37, 37, 1, 32767), (64, 8, 8, -32768):
                if layout:  # a worker a unit, each of the first element of two
                    n, grid, block = 2 * n, n, 1
                x = np.arange(n, dtype=np.int64) ** 3 - 9
                with self.subTest(layout=layout, n=n), tempfile.TemporaryDirectory() as folder:
                    self.five_ways(pathlib.Path(folder), f".entry {kernel}\n{body}\n", asm, ez, x,
                                   (grid, block, a), None if layout else x + a)

    def five_ways(self, folder, text, asm, ez, x, launch, wanted):
        n, (grid, block, a) = len(x), launch
        core = folder / "toy.core"
        core.write_text(text)
        values, figures = {}, {}
        for name, program in ("s", asm), ("ez", ez):
            path = folder / f"p.{name}"
            for word, number in ("GRID", grid), ("BLOCK", block), ("NUMBER", a):
                program = program.replace(word, str(number))
            path.write_text(program)
            ran = mpusim.run(path, CORE, sizes={"n": n}, x=x)
            values[name], figures[name] = ran.y.tolist(), ran.stats
        np.save(folder / "x.npy", x)
        subprocess.run([os.environ["MPU_RUN"], "--target", CORE, core, "--launch",
                        f"add<<<{grid}, {block}>>>(x, y, {a})", "--buffer", f"x: i64[{n}]", "--buffer",
                        f"y: i64[{n}]", "--in", f"x={folder}/x.npy", "--out", f"y={folder}/y.npy",
                        "--stats", f"json:{folder}/stats.json"], check=True)
        values["--launch"] = np.load(folder / "y.npy").tolist()
        figures["--launch"] = json.loads((folder / "stats.json").read_text())
        said = subprocess.run([os.environ["LAUNCH_ONCE"], CORE, core, *map(str, (*launch, *x))],
                              check=True, capture_output=True, text=True).stdout
        lines = said.split("\n", n)
        values["C"], figures["C"] = [int(line) for line in lines[:n]], json.loads(lines[n])
        with mpusim.device(CORE) as device:
            add = mpusim.module(core, device=device)["add"]
            here, there = add.buffer("x", x), add.buffer("y", shape=n)
            add[grid, block](here, there, a)
            values["python"] = there.numpy().tolist()
            figures["python"] = device.stats()
        if wanted is not None:
            self.assertEqual(values["s"], wanted.tolist())
        self.assertTrue(any(values["s"]))
        for way in values:
            self.assertEqual(values[way], values["s"], way)
            for part, names in (("total", ("time_ps", "energy_fj", "micro_ops")),
                                ("load", ("time_ps", "energy_fj")),
                                ("machine", ("launches", "port_stall_cycles")),
                                ("host", ("bytes_in", "bytes_out", "time_ps"))):
                for name in names:
                    self.assertEqual(figures[way][part][name], figures["s"][part][name],
                                     (way, part, name))

    def test_engines(self):
        """The same launches on the machine, on golden, side by side, and on target golden."""
        text = """.entry shift(x: i64[], y: i64[], n: u64, a: i64)
  for i < n
  t = x[i] + a
  y[i] = t << 2
"""
        data, values = np.arange(50, dtype=np.int64) ** 3 - 999, {}
        for target, words in ((CORE, {}), (CORE, {"engine": "golden"}), (CORE, {"check": True}),
                              ("golden", {})):
            with mpusim.device(target, **words) as device:
                shift = mpusim.module(text, form="loop", device=device)["shift"]
                x, y = mpusim.buffer(data), mpusim.buffer(shape=50, dtype=np.int64)
                shift[7](x, y[3:], 40, -5)
                shift(y, x[1:], 49, 6)
                values[target, str(words)] = x.tolist(), y.tolist()
                if words:
                    with self.assertRaisesRegex(mpusim.Rejected, "golden does not interpret kernels of "
                                                "form 'core', so "):
                        mpusim.module(TEXT, form="core", device=device)
        first = values[CORE, "{}"]
        self.assertEqual(first[1], [0] * 3 + ((data[:40] - 5) << 2).tolist() + [0] * 7)
        for value in values.values():
            self.assertEqual(value, first)

    def test_buffers(self):
        with self.dev:
            m = mpusim.buffer(np.arange(12, dtype=np.int16).reshape(4, 3))
            self.assertEqual((m.shape, m.ndim, m.size, m.nbytes, len(m)), ((4, 3), 2, 12, 24, 4))
            m[1:3] = [[9], [8]]
            self.assertEqual(m[1:].tolist(), [[9, 9, 9], [8, 8, 8], [9, 10, 11]])
            self.assertEqual(np.asarray(m[:1], np.int64).tolist(), [[0, 1, 2]])
            self.assertEqual(m[2:2].tolist(), [])
            self.assertEqual(mpusim.buffer(m).tolist(), m.tolist())
            with self.assertRaisesRegex(mpusim.Rejected, "a number that int16 does not have"):
                m.put(40000)
            with self.assertRaisesRegex(mpusim.Usage, "first axis"):
                m[::2]
            with self.assertRaisesRegex(mpusim.Usage, "1 to 2\\^40 elements"):
                mpusim.buffer(shape=(3, 0))
            with self.assertRaisesRegex(mpusim.Usage, "keeps no vectors"):
                mpusim.zeros(4)
            before = self.dev.stats()["host"]["bytes_in"]
            self.assertEqual(mpusim.buffer(shape=3).tolist(), [0.0, 0.0, 0.0])
            self.assertEqual(self.dev.stats()["host"]["bytes_in"], before)

    def test_modules(self):
        self.assertEqual(list(self.module), ["add", "count", "lost", "pair"])
        self.assertIn("add(x: i64[], y: i64[], a: i16)", repr(self.module["add"]))
        x = mpusim.buffer(np.array([1, 2, 3]), device=self.dev)
        self.module["add"][2](x[1:], x, 10)  # a part of it
        self.assertEqual(x.tolist(), [12, 13, 3])
        self.module["count"][(2, 2), 3]()
        self.module["count"]()  # a worker for each of 64 cores
        self.assertEqual(self.module.buffer("counts").tolist(), [76, 0])
        self.assertIn("pair(p: bytes[16])", repr(self.module["pair"]))
        for structure in (struct.pack("<qq", 40, 2), np.array([30, 12])):
            self.module.buffer("counts").put(0)
            self.module["pair"][1](structure)
            self.assertEqual(self.module.buffer("counts").tolist(), [42, 0])
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "k.core")
            path.write_text(TEXT)
            self.assertEqual(mpusim.module(path, device=self.dev).keys(), list(self.module))
            with self.assertRaisesRegex(mpusim.FileProblem, "none.core"):
                mpusim.module(pathlib.Path(folder, "none.core"), device=self.dev)

    def test_refused(self):
        x = mpusim.buffer(np.array([1, 2, 3]), device=self.dev)
        add = self.module["add"]
        for launch, kind, says in (
                (lambda: self.module["ad"], mpusim.Usage, "did you mean 'add'"),
                (lambda: add[1](x, x), mpusim.Usage, "has 3 parameters, and gets 2"),
                (lambda: add[1](x, np.arange(3), 1), mpusim.Usage, "'y: i64\\[\\]' takes a buffer"),
                (lambda: add[1](x, x, x), mpusim.Usage, "'a' takes a number, not a buffer"),
                (lambda: add[1](x, x, 40000), mpusim.Usage, "takes -32768 to 32767, not 40000"),
                (lambda: self.module["pair"][1](b"12345678"), mpusim.Usage, "takes 16 bytes, not 8"),
                (lambda: self.module["pair"][1](12), TypeError, "bytes-like"),
                (lambda: add[1](x, x, 1.5), TypeError, "integer"),
                (lambda: add[0](x, x, 1), mpusim.Usage, "the grid is 0, not 1"),
                (lambda: add[1, 1, 8](x, x, 1), mpusim.Usage, "leaves the number of bytes"),
                (lambda: add[(1, 1, 1, 1), 1], mpusim.Usage, "1 to 3 dimensions, not 4"),
                (lambda: self.module["lost"][1](12), mpusim.Stopped,
                 "kernel 'lost', pc 0, toy.core:19: unit 0, worker 0 finds no 8 bytes at 0xc"),
                (lambda: mpusim.module("x", form="core", device=self.dev), mpusim.Rejected,
                 "text.core:1:1"),
                (lambda: mpusim.module(TEXT, device=self.dev), mpusim.Usage, "form=")):
            with self.assertRaisesRegex(kind, says):
                launch()
        with mpusim.device(CORE) as other:
            y = mpusim.buffer(np.array([1, 2, 3]))
            with self.assertRaisesRegex(mpusim.Usage, "one of another device"):
                add[1](x, y, 1)
            other.close()
            with self.assertRaisesRegex(mpusim.Usage, "closed"):
                y.numpy()

    def test_slices(self):
        """Buffers as a kernel wants them, their parts, launches of some units; values, time and
        energy of a program."""
        body = """ .split x 16 8
 .same t
 .each e
 li x7 8
 sub x8 x1 x7
 ld x8 (x8)
 ld x9 (x2)
 add x8 x8 x9
 st x8 (x3)
 end
"""
        module = mpusim.module(".entry work(x: i64[], t: i64[], e: i64[])\n" + body, form="core",
                               device=self.dev)
        work, x = module["work"], np.arange(10, dtype=np.int64)
        xs, ts, es = work.buffer("x", x), work.buffer("t", [100, 0]), work.buffer("e", shape=(5, 2))
        self.assertEqual((xs.units, ts.units, es.units, es.shape), (5, 64, 5, (5, 2)))
        work(xs, ts, es, units=3, first=2)
        e = es.numpy()
        self.assertEqual(e.tolist(), [[0, 0], [0, 0], [103, 0], [105, 0], [107, 0]])
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "p.s")
            path.write_text(f""" .buffer in x: i64[10]
 .buffer in t: i64[2]
 .buffer out e: i64[5, 2]
 .kernel work core(x: i64[], t: i64[], e: i64[])
{body} .endkernel
main: RECIPE work(x, t, e) units 3 from 2
 HALT
""")
            there = mpusim.run(path, CORE, x=x, t=np.array([100, 0]))
        self.assertEqual(there.e.tolist(), e.tolist())
        here, there = self.dev.stats(), there.stats
        for part, names in (("total", ("time_ps", "energy_fj")), ("load", ("time_ps", "energy_fj")),
                            ("host", ("bytes_in", "bytes_out", "time_ps"))):
            for name in names:
                self.assertEqual(here[part][name], there[part][name], (part, name))
        ts.unit(3)[:1] = 7
        xs.unit(1).put([20, 30])
        self.assertEqual(xs[1:5].tolist(), [1, 20, 30, 4])
        self.assertEqual((ts.unit(3).tolist(), ts.tolist()), ([7, 0], [100, 0]))
        work[1](xs, ts, es, units=1, first=3)
        self.assertEqual(es.unit(3).tolist(), [12, 0])
        flat = mpusim.buffer(x, device=self.dev)
        for launch, kind, says in (
                (lambda: work(flat, ts, es), mpusim.Usage, "wants a buffer split by 16 bytes"),
                (lambda: work(xs[1:], ts, es), mpusim.Usage, "split from a byte on"),
                (lambda: work(xs.unit(1), ts, es), mpusim.Usage, "not one unit's part"),
                (lambda: work(xs, ts, es, units=0), mpusim.Usage, "units=None"),
                (lambda: work(xs, ts, es, first=1), mpusim.Usage, "has no first one"),
                (lambda: work(xs, ts, es, units=60, first=5), mpusim.Usage, "names units 5 to 64"),
                (lambda: xs.unit(5), mpusim.Usage, "in 5 units, and not in unit 5"),
                (lambda: flat.unit(0), mpusim.Usage, "in 0 units"),
                (lambda: work.buffer("y", x), mpusim.Usage, "no parameter 'y' that is a buffer"),
                (lambda: work.buffer("x", [1.5]), mpusim.Rejected, "a number that int64 does not"),
                (lambda: work.buffer("e", shape=(65, 1)), mpusim.Capacity, "a buffer of 65 rows")):
            with self.assertRaisesRegex(kind, says):
                launch()

    def test_freed(self):
        """What nobody holds is free again, whichever goes first."""
        kernel = mpusim.module(TEXT, form="core", device=self.dev)["count"]
        counts = kernel.module.buffer("counts")
        gc.collect()
        kernel[5]()
        del kernel
        gc.collect()
        self.assertEqual(counts.tolist(), [5, 0])
        for _ in range(50):
            mpusim.buffer(shape=1 << 20, dtype=np.int64, device=self.dev)
        self.dev.close()
        del counts
        gc.collect()


if __name__ == "__main__":
    unittest.main()
