#!/bin/sh
# SPDX-License-Identifier: MIT
# mpu-as against GNU as: one million instructions each, alternating, whole processes; JSON.
#   assembler.sh BUILD_DIR [RUNS]
set -eu
LC_ALL=C
export LC_ALL
as=$1/bin/mpu-as
runs=${2:-7}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

awk 'BEGIN { print "main:"; for (i = 0; i < 1000000; i++)
    printf "    ADD.32 r%d r%d r%d\n", i % 64, (i * 7) % 64, (i * 13) % 64 }' >"$dir/mpu.s"
awk 'BEGIN { split("rax rbx rcx rdx rsi rdi r8 r9", r); print "    .text";
    for (i = 0; i < 1000000; i++) printf "    add %%%s, %%%s\n", r[i % 8 + 1], r[i * 7 % 8 + 1] }' >"$dir/gnu.s"

# seconds COMMAND...: user + system time of one process
seconds() {
    ( TIMEFORMAT='%U %S'; bash -c 'TIMEFORMAT="%U %S"; time "$@" >/dev/null' -- "$@" ) 2>&1 |
        tail -n 1 | awk '{ print $1 + $2 }'
}
i=0
while [ $i -lt "$runs" ]; do
    seconds "$as" "$dir/mpu.s" -o "$dir/mpu.o" >>"$dir/mpu.t"
    seconds as "$dir/gnu.s" -o "$dir/gnu.o" >>"$dir/gnu.t"
    i=$((i + 1))
done
summary() {
    sort -n "$1" | awk '{ v[NR] = $1 } END { printf "{\"median\": %.3f, \"min\": %.3f, \"max\": %.3f}",
        v[int((NR + 1) / 2)], v[1], v[NR] }'
}
median() { sort -n "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
printf '{"benchmark": "assembler", "instructions": 1000000, "runs": %d, "cpu_seconds": {"mpu_as": ' "$runs"
summary "$dir/mpu.t"
printf ', "gnu_as": '
summary "$dir/gnu.t"
printf '}, "mpu_as_over_gnu_as": %s}\n' "$(awk -v a="$(median "$dir/mpu.t")" -v b="$(median "$dir/gnu.t")" 'BEGIN { printf "%.3f", a / b }')"
