#!/bin/sh
# SPDX-License-Identifier: MIT
# mpu-run, linked with libmpu.so alone, runs, compares and refuses.
# shared.sh MPU_RUN EXAMPLES
set -eu
out=$("$1" --target racer,golden "$2/axpy.ez" --size n=8 --in a=2 --in x=iota --in y=zeros --print 'z[0:3]' --stats csv)
case $out in
"z[0:3] = 0 2 4
target,elements,"*) ;;
*) echo "unexpected output: $out"; exit 1 ;;
esac
if "$1" --target racer "$2/axpy.ez" --size n=2 --in a=2 --in x=1,2 --in y=3,4 --expect z=5,9 2>/dev/null; then
    echo "a difference was not told"
    exit 1
fi
