#!/bin/sh
# SPDX-License-Identifier: MIT
# The six workloads of DaPPA's paper, from one source each, and its Listing 4: equal to the host's
# results on DPUs and planes, of lengths that no alignment divides, with one tasklet and many.
# And the lines that docs/dappa.md says they have.
#   workloads.sh FOLDER-OF-PROGRAMS SOURCE
set -eu
for name in va sel uni red gemv hst; do
    for way in 'upmem 1 1' 'upmem 3 11' 'upmem 64 16' 'upmem-dappa 3 24' \
        'racer 0' 'mimdram 0' 'simdram 0' 'ambit 0' 'duality-cache 0' 'pypim 0' 'pluto-bsa 0'; do
        set -- "$1" "$2" $way
        set=''
        [ $# -lt 5 ] || set=dpu.run_tasklets=$5
        # Its lanes have no room for a row of 64 bits, the vector and the products; it says so.
        [ "$name $3" != 'gemv pypim' ] || continue
        MPU_TARGET=$3 MPU_DPUS=$4 MPU_SET=$set "$1/dappa-$name" 0 1 331 >out.$$ 2>&1 ||
            { echo "$name on $way:"; cat out.$$; rm -f out.$$; exit 1; }
        [ "$(grep -c ': equal$' out.$$)" = 6 ] || { echo "$name on $way:"; cat out.$$; rm -f out.$$; exit 1; }
    done
done
for target in upmem racer mimdram; do
    MPU_TARGET=$target MPU_DPUS=64 "$1/dappa-dot" >out.$$ 2>&1 || { cat out.$$; rm -f out.$$; exit 1; }
done
rm -f out.$$

# Table 1, counted again: each line stands on the page.
set -- "$2"
cd "$1/examples/dappa"
sh "$1/tests/pipeline/lines.sh" "$1/tests/pipeline/table1.csv" va.cc sel.cc uni.cc red.cc gemv.cc hst.cc |
    while IFS= read -r line; do
        grep -qxF -e "$line" "$1/docs/dappa.md" || { echo "docs/dappa.md: not '$line'"; exit 1; }
    done
