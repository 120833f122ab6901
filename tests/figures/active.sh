#!/bin/sh
# SPDX-License-Identifier: MIT
# Compute time of a kernel over all VRFs of an MPU of racer at 1 and at 2 active VRFs per RFH.
set -eu
. "$FIGURES/stats.sh"
time_at() {
    mpu-run --target racer --place packed --set active_vrf_per_rfh="$1" --size n=32768 --in a=3 --in x=iota --in y=iota \
        --stats csv "$EXAMPLES/axpy.ez" | component compute time_ps
}
one=$(time_at 1)
two=$(time_at 2)
echo "one_ps,two_ps,ratio"
awk -v one="$one" -v two="$two" 'BEGIN { printf "%s,%s,%.6g\n", one, two, one / two }'
