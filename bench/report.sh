#!/bin/sh
# SPDX-License-Identifier: MIT
# What a report page costs: a run with --report beside the same without, in turn, and a page of a hundred
# runs; user + system time of whole processes, medians and the least; JSON.
#   report.sh BUILD_DIR [RUNS]
set -eu
LC_ALL=C
export LC_ALL
bin=$1/bin
runs=${2:-9}
examples=$(cd "$(dirname "$0")/../examples" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

seconds() { ( bash -c 'TIMEFORMAT="%U %S"; time "$@" >/dev/null' bench "$@" ) 2>&1 | tail -n 1 | awk '{ print $1 + $2 }'; }
median() { sort -n "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
least() { sort -n "$1" | head -n 1; }

# compare NAME WORDS...: of mpu-run
compare() {
    name=$1
    shift
    i=0
    while [ $i -lt "$runs" ]; do
        seconds "$bin/mpu-run" "$@" --stats "json:$dir/without.json" >>"$dir/without.$name"
        seconds "$bin/mpu-run" "$@" --stats "json:$dir/with.json" --report "$dir/page.html" >>"$dir/with.$name"
        i=$((i + 1))
    done
    awk -v n="$name" -v a="$(least "$dir/with.$name")" -v b="$(least "$dir/without.$name")" \
        -v c="$(median "$dir/with.$name")" -v d="$(median "$dir/without.$name")" \
        'BEGIN { printf "{\"benchmark\":\"report\",\"run\":\"%s\",\"without_seconds\":%.3f,\"ratio_least\":%.3f,\"ratio_median\":%.3f}\n", n, b, a / b, c / d }'
}
compare axpy --target racer "$examples/axpy.ez" --size n=4000000 --in a=3 --in x=iota --in y=iota
compare axpy-mimdram --target mimdram "$examples/axpy.ez" --size n=4000000 --in a=3 --in x=iota --in y=iota
compare collatz --target racer "$examples/collatz.ez" --size n=100000 --in x=random:1:1..5000
compare crc32 --target duality-cache "$examples/crc32.ez" --size n=100000 --in message=random:1
