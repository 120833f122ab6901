#!/bin/sh
# SPDX-License-Identifier: MIT
# fresh.sh FLOAT-GEN SOURCE WORK: makes the library of functions in WORK and compares it with what is
# committed.
set -eu
gen=$1 source=$2 work=$3
rm -rf "$work"
mkdir -p "$work"
"$gen" "$source/tools/float-gen/text" "$work" "$work/tables.inc"
status=0
diff "$source/tests/float/tables.inc" "$work/tables.inc" || status=1
rm "$work/tables.inc"
for file in "$work"/*; do
    diff "$source/ezpim/lib/$(basename "$file")" "$file" || status=1
done
[ $status = 0 ] || echo "stale: cmake --build build --target float-generate"
exit $status
