#!/bin/sh
# SPDX-License-Identifier: MIT
# The package without root, in two ways: in a virtual environment without a network, and by
# PYTHONPATH below an installation.
#   installed.sh SOURCE BUILD WORK
set -eu
source=$1 build=$2 work=$3
rm -rf "$work"
mkdir -p "$work"
unset PYTHONPATH
program='
import mpusim
import numpy as np
assert mpusim.__file__.startswith("@"), mpusim.__file__
x = mpusim.array(np.arange(10, dtype=np.int16))
assert (x * x + 1).tolist() == [i * i + 1 for i in range(10)]
print(mpusim.__version__)
'
say() { printf '%s\n' "$program" | sed "s#@#$1#"; }
version=$(cat "$source/VERSION")

/usr/bin/python3 -m venv --system-site-packages "$work/venv"
env MPU_LIBRARY="$build/lib/libmpu.so" no_proxy='*' "$work/venv/bin/pip" install -q --no-index \
    --disable-pip-version-check "$source/runtime/python"
[ "$(cd "$work" && say "$work/venv" | "$work/venv/bin/python" -)" = "$version" ]
[ ! -e "$source/runtime/python/build" ]

cmake --install "$build" --prefix "$work/x" --component libmpu >/dev/null
[ "$(cd "$work" && say "$work/x" | env PYTHONPATH="$work/x/lib/python3/dist-packages" /usr/bin/python3 -)" = "$version" ]

# The wheel is the same whenever it is made.
for i in 1 2; do
    env MPU_LIBRARY="$build/lib/libmpu.so" "$work/venv/bin/pip" wheel -q --no-index --no-deps \
        --disable-pip-version-check -w "$work/w$i" "$source/runtime/python"
done
cmp "$work"/w1/*.whl "$work"/w2/*.whl
rm -rf "$work"
