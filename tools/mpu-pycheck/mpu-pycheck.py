#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs kernels in Python under NumPy and as programs, and compares what comes out."""
import argparse
import ast
import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import types
import warnings

USAGE, DIFFERS, NO_FILE = 2, 1, 3
TARGETS = "golden,racer,mimdram,duality-cache"

try:
    import numpy as np
except ImportError:
    np = None  # --help and --version do without

TYPES = np and {"bool": np.bool_, "u8": np.uint8, "u16": np.uint16, "u32": np.uint32, "u64": np.uint64,
         "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64}


class Failure(Exception):
    """Text for the user, and the exit code."""

    def __init__(self, text, code=DIFFERS):
        super().__init__(text)
        self.code = code


def tool(name):
    """The tool beside this one, else that of the PATH."""
    beside = os.path.join(os.path.dirname(os.path.realpath(__file__)), name)
    return beside if os.path.exists(beside) else name


def run(command):
    """What the command prints."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as e:
        raise Failure(f"mpu-pycheck: error: {command[0]}: {e.strerror}", NO_FILE) from e
    if done.returncode:
        raise Failure(done.stderr.rstrip(), max(done.returncode, DIFFERS))
    return done.stdout


# ---- inputs ----

def draw(dtype, shape, rng):
    """Values of all sizes, every tenth one an edge of the type; all edges as far as there is room."""
    if dtype == np.bool_:
        return rng.integers(0, 2, shape).astype(np.bool_)
    info = np.iinfo(dtype)
    wide = rng.integers(info.min, info.max, shape, dtype=dtype, endpoint=True)
    small = rng.integers(0, 20, shape).astype(dtype)
    edges = np.array([info.min, info.max, 0, 1, info.min + 1, info.max // 2 + 1, info.max - 1],
                     dtype=dtype)
    kind = rng.random(shape)
    x = np.where(kind < 0.1, edges[rng.integers(0, len(edges), shape)],
                 np.where(kind < 0.4, small, wide)).astype(dtype)
    x.reshape(-1)[:len(edges)] = edges[:x.size]
    return x


def read_value(parameter, text, rng):
    """What --in gives: .npy, numbers, or values that are made for the shape."""
    dtype, shape = TYPES[parameter["type"]], tuple(parameter["shape"])
    word, _, seed = text.partition(":")
    if word == "random":
        return draw(dtype, shape, np.random.default_rng(int(seed or "0")))
    if word in ("zeros", "iota"):
        count = int(np.prod(shape, dtype=np.int64))
        return (np.arange(count) * (word == "iota")).astype(dtype).reshape(shape)
    if text.endswith(".npy"):
        return np.load(text)
    try:
        numbers = np.array([int(n, 0) for n in text.split(",")], dtype=object)
        fit = numbers.astype(dtype)
        if np.any(fit != numbers):
            raise ValueError(f"a number does not fit {parameter['type']}")
        return fit if shape else fit[0]
    except (ValueError, OverflowError) as e:
        raise Failure(f"mpu-pycheck: error: --in {parameter['name']}={text}: {e}; there are .npy "
                      "files, numbers, zeros, iota, random:SEED", USAGE) from e


def signature_of(options, path):
    command = [tool("ezpim"), "--emit=signature", path] + options.source
    return json.loads(run(command + [f"-D{n}={v}" for n, v in options.constants.items()]))


def follow_shapes(options, path):
    """The kernel for the shapes of the inputs that are given: constants that are extents alone
    become what these say, unless -D does."""
    signature = signature_of(options, path)
    found = {}
    for p in signature["parameters"]:
        given = options.inputs.get(p["name"], "")
        if not given.endswith(".npy") and not given[:1].isdigit():
            continue
        shape = np.shape(read_value(p, given, None))
        for name, extent in zip(p["extents"], shape):
            if name and name not in options.constants:
                found.setdefault(name, extent)
    options.constants.update(found)
    return signature_of(options, path) if found else signature


def make_inputs(options, signature, rng):
    names = [p["name"] for p in signature["parameters"]]
    for name in options.inputs:
        if name not in names:
            raise Failure(f"mpu-pycheck: error: `{signature['entry']}` has no parameter `{name}`: "
                          f"it has {', '.join(names)}", USAGE)
    values = {}
    for p in signature["parameters"]:
        dtype, shape = TYPES[p["type"]], tuple(p["shape"])
        given = options.inputs.get(p["name"])
        x = read_value(p, given, rng) if given else draw(dtype, shape, rng)
        if x.shape != shape or x.dtype != dtype:
            raise Failure(f"mpu-pycheck: error: --in {p['name']}: {x.dtype} of shape {x.shape}; "
                          f"the parameter is {np.dtype(dtype)} of shape {shape}", USAGE)
        values[p["name"]] = x if shape else dtype(x)
    return values


# ---- under NumPy ----

class Constants(ast.NodeTransformer):
    """Puts other numbers in the place of constants of the file."""

    def __init__(self, constants):
        self.constants = constants

    def visit_FunctionDef(self, node):
        return node

    def visit_Assign(self, node):
        name = getattr(node.targets[0], "id", None)
        if len(node.targets) == 1 and name in self.constants:
            node.value = ast.copy_location(ast.Constant(self.constants[name]), node.value)
        return node


def call(path, entry, constants, values):
    """What the function returns, as a list, and its parameters behind it."""
    with open(path, encoding="utf-8-sig") as f:
        tree = Constants(constants).visit(ast.parse(f.read(), path))
    module = types.ModuleType("kernel")
    module.__file__ = path
    copies = {n: x.copy() if isinstance(x, np.ndarray) else x for n, x in values.items()}
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(ast.fix_missing_locations(tree), path, "exec"), vars(module))
            result = getattr(module, entry)(**copies)
    if result is None:
        return [], copies
    return list(result) if isinstance(result, tuple) else [result], copies


# ---- on targets ----

def program_outputs(options, path, target, values, names, folder):
    command = [tool("mpu-run"), "--target", target, path] + options.source
    command += [f"-D{n}={v}" for n, v in options.constants.items()]
    command += ["--finish", options.finish]
    for name in values:
        command += ["--in", f"{name}={folder}/{name}.npy"]
    for name in names:
        command += ["--out", f"{name}={folder}/out-{name}.npy"]
    run(command)
    return [np.load(f"{folder}/out-{name}.npy") for name in names]


def difference(name, got, want):
    """What differs first, or None."""
    want = np.asarray(want)
    if got.dtype != want.dtype or got.shape != want.shape:
        return f"`{name}` is {got.dtype} {got.shape}, NumPy has {want.dtype} {want.shape}"
    wrong = np.argwhere(np.atleast_1d(got != want))
    if len(wrong) == 0:
        return None
    at = tuple(wrong[0])
    where = f" at [{', '.join(str(i) for i in at)}]" if want.shape else ""
    return (f"`{name}` differs{where}: {np.atleast_1d(got)[at]}, NumPy has "
            f"{np.atleast_1d(want)[at]} ({len(wrong)} of {max(got.size, 1)} elements)")


def wanted_of(path, signature, constants, values):
    """Names of outputs and what NumPy has for them: results, then parameters that changed."""
    results, behind = call(path, signature["entry"], constants, values)
    names = [r["name"] for r in signature["results"]]
    if len(results) != len(names):
        raise Failure(f"{path}: error: NumPy gives {len(results)} results, the program {len(names)}")
    wanted = dict(zip(names, results))
    for p in signature["parameters"]:
        changed = np.any(behind[p["name"]] != values[p["name"]])
        if changed and not p["changed"]:
            raise Failure(f"{path}: error: NumPy changes `{p['name']}`, and the program does not")
        if p["changed"]:
            wanted.setdefault(p["name"], behind[p["name"]])
    return wanted


def check(options, path):
    """Prints a line for each target; the exit code."""
    constants = dict(options.constants)
    signature = follow_shapes(options, path)
    values = make_inputs(options, signature, np.random.default_rng(options.seed))
    wanted = wanted_of(path, signature, options.constants, values)
    elements = sum(np.size(x) for x in wanted.values())
    code = 0
    with tempfile.TemporaryDirectory(prefix="mpu-pycheck-") as folder:
        for name, x in values.items():
            np.save(f"{folder}/{name}.npy", x)
        for target in options.target.split(","):
            got = program_outputs(options, path, target, values, wanted, folder)
            problems = [difference(n, g, w) for (n, w), g in zip(wanted.items(), got)]
            problem = next((p for p in problems if p), None)
            code = DIFFERS if problem else code
            if problem or not options.quiet:
                print(f"{path}: {target}: {problem or f'equal, {elements} elements'}", flush=True)
    options.constants = constants
    return code


# ---- the command line ----

def named(text):
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise argparse.ArgumentTypeError(f"'{text}' is not of the form NAME=VALUE")
    return name, value


def number(text):
    name, value = named(text)
    try:
        return name, int(value, 0)
    except ValueError as e:
        raise argparse.ArgumentTypeError(f"'{text}' is not of the form NAME=NUMBER") from e


def read_options():
    p = argparse.ArgumentParser(
        prog="mpu-pycheck", description="Runs kernels in Python under NumPy and as programs on "
        "emulated machines, and compares types, shapes and bytes of what comes out.",
        epilog="Exit code 0: all equal; 1: something differs, or is not compiled; 2: usage.")
    p.add_argument("files", nargs="+", metavar="FILE", help="kernels")
    p.add_argument("--target", default=TARGETS, metavar="T,..", help=f"machines ({TARGETS})")
    p.add_argument("--entry", metavar="F", help="the function, where several are called by none")
    p.add_argument("-D", dest="define", action="append", type=number, default=[],
                   metavar="NAME=NUMBER", help="a constant of the file")
    p.add_argument("--in", dest="given", action="append", type=named, default=[],
                   metavar="NAME=VALUE", help="an input: a .npy file, numbers, zeros, iota, "
                   "random:SEED; the others are drawn")
    p.add_argument("--seed", type=int, default=0, metavar="N", help="of what is drawn (0)")
    p.add_argument("--finish", default="auto", choices=("device", "host", "auto"),
                   help="who finishes reductions that the host may finish (auto)")
    p.add_argument("-q", dest="quiet", action="store_true", help="differences alone")
    p.add_argument("--version", action="version", version="mpu-pycheck @PROJECT_VERSION@")
    options = p.parse_args()
    options.constants, options.inputs = dict(options.define), dict(options.given)
    options.source = ["--entry", options.entry] if options.entry else []
    return options


def main():
    options, code = read_options(), 0
    if np is None:
        sys.exit("mpu-pycheck: error: this Python has no NumPy\n"
                 f"note: {sys.executable} -m pip install numpy, or the package python3-numpy")
    for path in options.files:
        try:
            code = max(code, check(options, path))
        except Failure as e:
            print(e, file=sys.stderr)
            code = max(code, e.code)
        except BrokenPipeError:  # whoever reads has read enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            code = NO_FILE
            break
        except OSError as e:
            print(f"mpu-pycheck: error: {e}", file=sys.stderr)
            code = NO_FILE
        except Exception as e:  # of the kernel under NumPy
            print(f"{path}: error: NumPy does not run it: {type(e).__name__}: {e}", file=sys.stderr)
            code = max(code, DIFFERS)
    sys.exit(code)


if __name__ == "__main__":
    main()
