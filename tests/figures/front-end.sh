#!/bin/sh
# SPDX-License-Identifier: MIT
# What part of a front end is storage (playback buffer, recipe table, pointer table, activation
# board): of its area, its static power and the energy of a cycle.
set -eu
. "$FIGURES/stats.sh"
mpu-run --target racer --in x=1 --stats csv "$EXAMPLES/popcount.ez" | awk -F, '
    $1 ~ /^front_end\.[0-9]+\.part$/ { storage = $2 ~ /_buffer$|_table$|_board$/ && $2 != "transfer_buffer" }
    $1 ~ /^front_end\.[0-9]+\.(mpu_um2|static_nw|cycle_fj|size)$/ {
        what = $1
        sub(/.*\./, "", what)
        all[what] += $2
        if (storage)
            part[what] += $2
    }
    END {
        print "area,static,dynamic,bits"
        printf "%.4g,%.4g,%.4g,%d\n", 100 * part["mpu_um2"] / all["mpu_um2"], 100 * part["static_nw"] / all["static_nw"],
            100 * part["cycle_fj"] / all["cycle_fj"], part["size"]
    }'
