# SPDX-License-Identifier: MIT
"""Kernels against NumPy: against.py BIN TARGETS FILE..

Each file is imported and its entry called; the compiled program gets the same inputs, drawn with
the edges of their types among them.  Types, shapes and bytes of results must agree."""
import importlib.util
import inspect
import re
import subprocess
import sys
import tempfile

import numpy as np

from draw import draw


def entry_of(module, text):
    functions = [f for f in vars(module).values() if inspect.isfunction(f)]
    alone = [f for f in functions if len(re.findall(rf"\b{f.__name__}\(", text)) == 1]
    return (alone or functions)[-1]


def outputs_of(binaries, path):
    r = subprocess.run([binaries + "/ezpim", "-S", "-o", "-", path], capture_output=True, text=True)
    if r.returncode:
        raise SystemExit(path + ": is not compiled\n" + r.stderr)
    return re.findall(r"^\s*\.var (inout|out) (\w+):", r.stdout, re.M)


def arguments(entry, module, rng):
    for name, text in entry.__annotations__.items():
        kind, extents = re.match(r"(?:host_)?(\w+?)(?:\[(.*)\])?$", text).groups()
        if name != "return":
            shape = eval("(" + extents + ",)", vars(module)) if extents else ()
            yield name, draw(kind, shape, rng)


def differs(got, want):
    same = got.dtype == want.dtype and got.shape == want.shape
    return not same or not np.array_equal(got, want)


def run(binaries, target, path, folder, inputs, wanted):
    command = [binaries + "/mpu-run", "--target", target, path]
    for name, x in inputs:
        np.save(f"{folder}/{name}.npy", x)
        command += ["--in", f"{name}={folder}/{name}.npy"]
    for name, _ in wanted:
        command += ["--out", f"{name}={folder}/out-{name}.npy"]
    r = subprocess.run(command, capture_output=True, text=True)
    if r.returncode:
        return [f"{path}: does not run on {target}\n{r.stderr}"]
    return [f"{path}: {name} differs on {target}" for name, want in wanted
            if differs(np.load(f"{folder}/out-{name}.npy"), np.asarray(want))]


def check(binaries, targets, path, seed):
    spec = importlib.util.spec_from_file_location("kernel", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    entry = entry_of(module, open(path).read())
    inputs = list(arguments(entry, module, np.random.default_rng(seed)))
    copies = {name: x.copy() if x.shape else x for name, x in inputs}
    with np.errstate(all="ignore"):
        result = entry(**copies)
    results = iter(result if isinstance(result, tuple) else (result,))
    wanted = [(name, copies[name] if way == "inout" else next(results))
              for way, name in outputs_of(binaries, path)]
    if not wanted:
        return [path + ": no outputs"]
    with tempfile.TemporaryDirectory() as folder:
        return [line for t in targets for line in run(binaries, t, path, folder, inputs, wanted)]


def main():
    binaries, targets, files = sys.argv[1], sys.argv[2].split(","), sys.argv[3:]
    problems = [p for n, path in enumerate(files) for p in check(binaries, targets, path, n)]
    print("\n".join(problems) or f"{len(files)} kernels agree")
    sys.exit(bool(problems) or len(files) < 10)


main()
