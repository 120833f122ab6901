#!/bin/sh
# SPDX-License-Identifier: MIT
# A kernel of racer that is bound by issue, over all VRFs of an MPU: counts of bits, one after the
# other, which take a slot in nearly every cycle.  What share of its power is the front end's, what a
# chip of 512 MPUs takes, and how many cycles have a slot.
set -eu
. "$FIGURES/stats.sh"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
{
    printf '        .size n\n        .group g[n]\n        .global main\nmain:   COMPUTEG @g\n'
    for i in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
        printf '        POPC r0 r1\n        POPC r0 r2\n        POPC r0 r3\n        POPC r0 r4\n'
    done
    printf '        COMPUTE_DONE\n        HALT\n'
} >"$dir/busy.s"
mpu-run --target racer --place packed --size n=32768 --stats csv "$dir/busy.s" >"$dir/stats"
ps=$(figure total.time_ps <"$dir/stats")
all=$(figure total.energy_fj <"$dir/stats")
slots=$(figure total.issue_slots <"$dir/stats")
cycle_fj=$(mpu-run --list-keys racer | awk '$1 == "front_end.energy_fj_per_cycle" { print $2 }')
cycle_ps=$(mpu-run --list-keys racer | awk '$1 == "front_end.cycle_ps" { print $2 }')
# fJ / ps is mW.
echo "share,watt,issuing"
awk -v all="$all" -v slots="$slots" -v fj="$cycle_fj" -v t="$ps" -v cycle="$cycle_ps" 'BEGIN {
    printf "%.4g,%.4g,%.4g\n", 100 * slots * fj / all, 512 * all / t / 1000, 100 * slots * cycle / t }'
