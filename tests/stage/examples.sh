#!/bin/sh
# SPDX-License-Identifier: MIT
# The examples of stage kernels on each machine, as kernels or by `else`, and under --check, against
# what awk makes of the same numbers.
#   examples.sh SOURCE BIN
set -u
source=$1 PATH=$2:$PATH
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
status=0
n=300
awk -v n=$n 'BEGIN { srand(7); for (i = 0; i < n; i++) print int(rand() * 4) + 80 * (i % 3) }' >bytes.txt
awk -v n=$n 'BEGIN { srand(8); for (i = 0; i < n; i++) print int(rand() * 60000) - 30000 }' >left.txt
awk -v n=$n 'BEGIN { srand(9); for (i = 0; i < n; i++) print int(rand() * 60000) - 30000 }' >right.txt
paste left.txt right.txt | awk '{ sum += $1 * $2 } END { printf "z = %d\n", sum }' >dot.want
awk '{ bins[int($1 / 16)]++ } END { printf "bins ="; for (i = 0; i < 16; i++) printf " %d", bins[i]; print "" }' \
    bytes.txt >histogram.want
awk 'NR > 1 && $1 != before { runs++; ends = ends " " before } { before = $1 }
    END { print "runs = " runs; print ends }' bytes.txt >runs.full
awk 'NR == 1; NR == 2 { printf "last[0:8] ="; for (i = 1; i <= 8; i++) printf " %s", $i; print "" }' runs.full >runs.want

# one NAME PRINT ARGUMENTS..: on each machine, from ezpim, which writes what stands behind `else`, and from assembly, which has it.
one() {
    from .ez "$@"
    from .s "$@" --size n=$n
}
from() {
    suffix=$1 name=$2 printed=$3
    shift 3
    for way in golden racer mimdram duality-cache pluto-bsa 'racer --engine golden' 'racer --check' \
        upmem 'upmem --check'; do
        # shellcheck disable=SC2086
        mpu-run --target $way "$source/examples/stage/$name$suffix" "$@" $printed >"$name.got" 2>"$name.err" ||
            { echo "$name$suffix on $way fails" && cat "$name.err" && status=1; }
        cmp "$name.want" "$name.got" || { echo "$name$suffix on $way: $(cat "$name.got")" && status=1; }
    done
    mpu-run --target racer "$source/examples/stage/$name$suffix" "$@" --check 2>&1 | grep -q 'elements agreed with golden' ||
        { echo "$name$suffix: nothing was compared" && status=1; }
}
one dot '--print z' --in x=left.txt --in y=right.txt
one histogram '--print bins' --in x=bytes.txt
one runs '--print runs --print last[0:8]' --in x=bytes.txt
exit $status
