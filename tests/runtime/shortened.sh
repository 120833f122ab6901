#!/bin/sh
# SPDX-License-Identifier: MIT
# A data file that becomes shorter between its check and its use ends mpu-run with a message; a pipe
# is read as far as it goes.
#   shortened.sh MPU_RUN FOLDER
set -eu
tool=$1
rm -rf "$2"
mkdir -p "$2"
cd "$2"
printf 'size n;\ngroup g[n];\nin x, y: u8 @ g;\nout z: u8 @ g;\nmain { compute g { z = x + y; } }\n' >add.ez
head -c 1000000 /dev/zero >zeros.raw
mkfifo y.raw

# start: x.raw is mapped when the tool opens y.raw, which is opened for reading no earlier.
start() {
    cp zeros.raw x.raw
    "$tool" --target racer --size n=1000000 add.ez --in x=x.raw --in y=y.raw --out z=z.raw 2>messages &
    exec 3>y.raw
}

start
cat zeros.raw >&3
exec 3>&-
wait $!
cmp zeros.raw z.raw
rm z.raw

start
truncate -s 5000 x.raw
cat zeros.raw >&3
exec 3>&-
code=0
wait $! || code=$?
cat messages
test $code -eq 3
grep -q 'mpu-run: error: a data file became shorter while it was in use' messages
test ! -e z.raw
