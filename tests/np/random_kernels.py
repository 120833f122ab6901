# SPDX-License-Identifier: MIT
"""Random kernels for test_np_random.c:

    random_kernels.py make FIRST COUNT     kernels that NumPy takes, as an archive (archive.py)
    random_kernels.py floats FIRST COUNT   the same, with floats in them
    random_kernels.py outside FIRST COUNT  kernels just outside of the language
    random_kernels.py shrink inside|outside
        reads "NUMBER BYTES", a newline and a kernel that fails; writes smaller ones, each as an
        archive, and reads 1 for each that still fails, else 0; the smallest goes to standard
        error"""
import sys

import archive
import maker
import outside
from smaller import smaller


def make(number, floats=False):
    """A kernel that NumPy takes: the seeds that follow are tried until there is one."""
    for attempt in range(20):
        try:
            found = archive.entry(number, maker.make(number + attempt * 1000000007, floats))
        except (ValueError, TypeError, archive.TooLong):
            found = None
        if found:
            return found
    raise SystemExit(f"kernel {number}: NumPy takes none of 20")


def make_outside(number):
    for attempt in range(50):
        try:
            source = outside.make(number + attempt * 1000000007)
            found = source and archive.entry(number, source, keep_refused=True)
        except (ValueError, TypeError, archive.TooLong):
            found = None
        if found:
            return found
    raise SystemExit(f"kernel {number}: nothing outside in 50")


def shrink(keep_refused):
    number, size = map(int, sys.stdin.buffer.readline().split())
    source = sys.stdin.buffer.read(size).decode()

    def fails(text):
        record = archive.entry(number, text, keep_refused)
        if record is None:
            return False
        sys.stdout.buffer.write(record)
        sys.stdout.buffer.flush()
        return sys.stdin.buffer.readline() == b"1\n"

    print("shrunk:\n" + smaller(source, fails), file=sys.stderr)


def main():
    if sys.argv[1] == "shrink":
        shrink(sys.argv[2] == "outside")
        return
    first, count = int(sys.argv[2]), int(sys.argv[3])
    makers = {"make": make, "floats": lambda n: make(n, True), "outside": make_outside}
    for number in range(first, first + count):
        sys.stdout.buffer.write(makers[sys.argv[1]](number))


main()
