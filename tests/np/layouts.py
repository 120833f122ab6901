# SPDX-License-Identifier: MIT
"""Kernels with other layouts: layouts.py BIN TARGETS FILE..

A comment `# layouts: x = lanes | registers(0)` names layouts of an array; the file is checked
against NumPy by mpu-pycheck with the first of all of them, then with the second, and so on."""
import os
import re
import subprocess
import sys
import tempfile


def variants(text):
    lists = [(name, which.split("|"))
             for name, which in re.findall(r"^# layouts: (\w+) = (.*)$", text, re.M)]
    for n in range(max((len(which) for _, which in lists), default=0)):
        yield text + "".join(f"# layout: {name} = {which[n % len(which)].strip()}\n"
                             for name, which in lists)


def main():
    binaries, targets, files = sys.argv[1], sys.argv[2], sys.argv[3:]
    with tempfile.TemporaryDirectory() as folder:
        made = []
        for path in files:
            with open(path) as f:
                for n, text in enumerate(variants(f.read())):
                    made.append(f"{folder}/{os.path.basename(path)[:-3]}_{n}.py")
                    with open(made[-1], "w") as out:
                        out.write(text)
        check = [sys.executable, binaries + "/mpu-pycheck", "-q", "--target", targets]
        sys.exit(len(made) < 9 or subprocess.run(check + made).returncode)


main()
