#!/bin/sh
# SPDX-License-Identifier: MIT
# The dot product of each front end of pipelines: its result, and one plan for all of them, but for
# where stages are written.
#   front_ends.sh FOLDER-OF-PROGRAMS SOURCE
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
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
if /usr/bin/python3 -c 'import numpy' 2>/dev/null && [ -e "$1/../lib/libmpu.so" ]; then
    check Python env PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$2/runtime/python" \
        MPU_LIBRARY="$1/../lib/libmpu.so" /usr/bin/python3 "$2/examples/dappa/dot.py"
fi
