#!/bin/sh
# SPDX-License-Identifier: MIT
# rows.sh RECIPE-ROWS SOURCE WORK: a sample of the rows that instructions leave, counted anew, is what
# ezpim/code/rows.csv says.
set -eu
rows=$1 source=$2 work=$3
mkdir -p "$work"
"$rows" --sample "$work/sample.csv" "$source/examples/technology/imply.yaml"
awk -F, '
    BEGIN { widths[1]; widths[5]; widths[33] }
    { key = $1 "," $2 "," $3 "," $4 "," $5; apart = $1 "," $2 "," $3 "," $4 ",0" }
    NR == FNR {
        counted[key]
        for (w in widths) left[key, w] = $(w + 5)
        next
    }
    {
        written[key]
        for (w in widths) {
            want = key in counted ? left[key, w] : left[apart, w]
            if ($(w + 5) != want && !(w > 1 && want == 0)) {
                print key " at width " w ": " $(w + 5) ", counted anew " want
                bad = 1
            }
            line[key, w] = $(w + 5)
        }
    }
    END {
        for (key in counted) {
            split(key, f, ",")
            apart = f[1] "," f[2] "," f[3] "," f[4] ",0"
            for (w in widths) {
                have = key in written ? line[key, w] : line[apart, w]
                if (have != left[key, w] && !(w > 1 && left[key, w] == 0)) {
                    print key " at width " w ": " have ", counted anew " left[key, w]
                    bad = 1
                }
            }
        }
        exit bad
    }' "$work/sample.csv" "$source/ezpim/code/rows.csv" || {
    echo "stale: cmake --build build --target recipe-generate"
    exit 1
}
