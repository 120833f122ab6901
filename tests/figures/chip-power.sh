#!/bin/sh
# SPDX-License-Identifier: MIT
# Power of the front ends of 512 MPUs that issue in every cycle, and static power of the chip.
set -eu
. "$FIGURES/stats.sh"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cat >"$dir/busy.s" <<'TEXT'
        .geometry grid=[512]
        .global main
main:   REPEAT 1000
        NOP
        NOP
        REPEAT_END
        HALT
TEXT
mpu-run --target racer --set mpus=512 --stats csv "$dir/busy.s" >"$dir/stats"
ps=$(figure total.time_ps <"$dir/stats")
all=$(figure total.energy_fj <"$dir/stats")
static=$(component static energy_fj <"$dir/stats")
# fJ / ps is mW.
echo "dynamic_w,static_mw"
awk -v a="$all" -v s="$static" -v t="$ps" 'BEGIN { printf "%.4g,%.4g\n", (a - s) / t / 1000, s / t }'
