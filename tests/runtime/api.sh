#!/bin/sh
# SPDX-License-Identifier: MIT
# The functions that mpu.h has are those of its version in api.txt: what adds one raises the number.
#   api.sh SOURCE [--write]
set -eu
header=$1/runtime/include/mpu/mpu.h list=$1/tests/runtime/api.txt
found=$(mktemp)
trap 'rm -f "$found"' EXIT
{
    sed -n 's/^#define MPU_API_M[A-Z]* *\([0-9][0-9]*\)$/\1/p' "$header" | paste -sd.
    tr '\n' ' ' <"$header" | sed 's/MPU_API /\n&/g' | sed -n 's/^MPU_API [^(;]*[ *]\(mpu_[a-z0-9_]*\)(.*/\1/p' | LC_ALL=C sort
} >"$found"
[ "$(wc -l <"$found")" -gt 100 ] || { echo "api: no functions were found in $header"; exit 1; }
if [ "${2-}" = --write ]; then
    [ "$(head -n 1 "$list")" != "$(head -n 1 "$found")" ] || cmp -s "$list" "$found" ||
        { echo "api: raise MPU_API_MINOR first"; exit 1; }
    cp "$found" "$list"
elif ! diff "$list" "$found"; then
    echo "api: what mpu.h has is not what tests/runtime/api.txt has of its version:"
    echo "api: raise MPU_API_MINOR, then  sh tests/runtime/api.sh . --write"
    exit 1
fi
