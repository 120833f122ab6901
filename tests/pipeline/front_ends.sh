#!/bin/sh
# SPDX-License-Identifier: MIT
# The dot product of each front end of pipelines: its result, and one plan for all of them, but for
# where stages are written.
#   front_ends.sh FOLDER-OF-PROGRAMS SOURCE
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# ezpim: mpu-run has the result, mpu-objdump the plan; b is 1 to 7 again and again.
ez() {
    sed 's/pipeline dot {/pipeline dot { units 3;/' "$2/examples/dappa/dot.ez" >"$folder/dot.ez"
    printf '\1\0\0\0\2\0\0\0\3\0\0\0\4\0\0\0\5\0\0\0\6\0\0\0\7\0\0\0' >"$folder/b"
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18; do
        cat "$folder/b" "$folder/b" >"$folder/bb"
        mv "$folder/bb" "$folder/b"
    done
    head -c 4194304 "$folder/b" >"$folder/b.raw"
    "$1/ezpim" -o "$folder/dot.mpu" "$folder/dot.ez"
    "$1/mpu-run" --target upmem-dappa --size n=1048576 "$folder/dot.mpu" --in a=iota \
        --in b="$folder/b.raw" --print sum | sed 's/^sum = /equal: /'
    "$1/mpu-objdump" --plan --target upmem-dappa --size n=1048576 "$folder/dot.mpu"
}
# check NAME COMMAND..: the result, and the plan, which is that of the first.
check() {
    name=$1
    shift
    MPU_DPUS=3 "$@" >"$folder/out" 2>&1 || { echo "$name:"; cat "$folder/out"; exit 1; }
    grep -q '^equal: 4290772996$' "$folder/out" || { echo "$name:"; cat "$folder/out"; exit 1; }
    sed -n '/^part 1: /,/MRAM of a DPU/p' "$folder/out" | sed 's/ ([^ ]*:[0-9]*)//' >"$folder/plan"
    grep -q 'cache elements' "$folder/plan" || { echo "$name has no plan:"; cat "$folder/out"; exit 1; }
    [ -e "$folder/first" ] || cp "$folder/plan" "$folder/first"
    diff -u "$folder/first" "$folder/plan" || { echo "the plan of $name is another one"; exit 1; }
}
check C++ "$1/dappa-dot"
check C "$1/dappa-dot-c"
check ezpim ez "$1/../bin" "$2"
if /usr/bin/python3 -c 'import numpy' 2>/dev/null && [ -e "$1/../lib/libmpu.so" ]; then
    check Python env PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$2/runtime/python" \
        MPU_LIBRARY="$1/../lib/libmpu.so" /usr/bin/python3 "$2/examples/dappa/dot.py"
fi
