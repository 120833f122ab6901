#!/bin/sh
# SPDX-License-Identifier: MIT
# What ./dev demo shows: two programs compiled, run on RACER over data from files, and checked.
#   demo.sh OUT     (tools on PATH, run from the top of the repository)
set -eu
out=$1
data=examples/data

run() {
    printf '\n$ %s\n' "$*"
    "$@"
}

echo
echo "== A vector: z = a*x + y over 1000 elements of 32 bits"
sed 's/^/    /' examples/axpy.ez
run ezpim examples/axpy.ez -o "$out/axpy.mpu"
run mpu-objdump -d "$out/axpy.mpu"
run mpu-run --target racer "$out/axpy.mpu" --in a=$data/axpy-a.npy --in x=$data/axpy-x.npy \
    --in y=$data/axpy-y.npy --out z="$out/z.npy" --expect z=$data/axpy-z.npy --print "z[0:8]"

echo
echo "== A picture: brightness with saturation, and a threshold, on 640x480 pixels"
sed 's/^/    /' examples/brightness.ez
run ezpim examples/brightness.ez -o "$out/brightness.mpu"
run mpu-run --target racer "$out/brightness.mpu" --in pixel=$data/landscape.pgm \
    --in gain=$data/brightness-gain.npy --in level=$data/brightness-level.npy \
    --out bright="$out/bright.pgm" --expect bright=$data/brightness-bright.pgm \
    --expect bold=$data/brightness-bold.pgm --stats text:"$out/brightness.txt"
awk '/^total/ { on = 1 } /^by_micro_op/ { exit } on' "$out/brightness.txt"

echo "== Results equal their references, made by independent C programs (examples/gen)."
echo "   Written: $out/z.npy $out/bright.pgm; all statistics: $out/brightness.txt"
