#!/bin/sh
# SPDX-License-Identifier: MIT
# ezpim at -O1 on large programs and on small ones of the repository, whole processes, CPU time; JSON.
#   compiler.sh BUILD_DIR [RUNS]
set -eu
LC_ALL=C
export LC_ALL
ezpim=$1/bin/ezpim
runs=${2:-5}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# program LINES PER_ENSEMBLE: four lines a value; an ensemble ends behind PER_ENSEMBLE of them
program() {
    awk -v lines="$1" -v per="$2" 'BEGIN {
        print "size n;\ngroup g[n];\nin x, y: u32 @ g;\nout z: u32 @ g;\nmain {\ncompute g { z = 0;"
        for (k = 0; k * 4 < lines; k++) {
            printf "let a%d: u32 = x + (y ^ %d);\na%d ^= a%d >> 3;\n", k, k, k, k
            printf "if (a%d > y) { z ^= a%d; }\nz += a%d;\n", k, k, k
            if (k % per == per - 1) print "}\ncompute g {"
        }
        print "} }" }'
}
program 100000 50 >"$dir/lines100k.ez"
program 200000 50 >"$dir/lines200k.ez"
program 13000 1000000 >"$dir/one.ez" # about 20,000 instructions in one ensemble

# seconds COMMAND...: user + system time of one process
seconds() {
    ( bash -c 'TIMEFORMAT="%U %S"; time "$@" >/dev/null' -- "$@" ) 2>&1 |
        tail -n 1 | awk '{ print $1 + $2 }'
}
# Small programs, so often in a row: one takes as long as a few ticks of the clock.
times=20
top=$(cd "$(dirname "$0")/.." && pwd)
small="examples/average examples/histogram examples/kmeans examples/maze tests/programs/rows/neighbours tests/programs/rows/reductions"
often='k=0; while [ $k -lt "$3" ]; do "$0" -O1 "$1" -o "$2"; k=$((k + 1)); done'
i=0
while [ $i -lt "$runs" ]; do
    for p in $small; do
        seconds sh -c "$often" "$ezpim" "$top/$p.ez" "$dir/small.mpu" $times >>"$dir/${p##*/}.t"
    done
    for p in lines100k lines200k one; do
        seconds "$ezpim" -O1 -c "$dir/$p.ez" -o "$dir/$p.o" >>"$dir/$p.t"
    done
    i=$((i + 1))
done
median() { sort -n "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
a=$(median "$dir/lines100k.t")
b=$(median "$dir/lines200k.t")
printf '{"benchmark": "compiler", "runs": %d, "cpu_seconds": {"lines_100k": %s, "lines_200k": %s, ' "$runs" "$a" "$b"
printf '"one_ensemble": %s}, "lines_200k_over_100k": %s, "small_milliseconds": {' "$(median "$dir/one.t")" \
    "$(awk -v a="$a" -v b="$b" 'BEGIN { printf "%.2f", b / a }')"
between=
for p in $small; do
    awk -v s="$(median "$dir/${p##*/}.t")" -v n=$times -v name="${p##*/}" -v between="$between" \
        'BEGIN { printf "%s\"%s\": %.2f", between, name, 1000 * s / n }'
    between=', '
done
echo '}}'
