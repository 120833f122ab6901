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
    for way in golden racer mimdram duality-cache pluto-bsa 'racer --engine golden' 'upmem --engine golden' 'racer --check' \
        upmem 'upmem --check' simt 'simt --check'; do
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
# Five maps are one pass over MRAM: 4,000 bytes come, and 4,000 go.
cat >five.s <<'END'
        .buffer in x: i32[1000]
        .buffer out y: i32[1000]
        .kernel five stage(x: i32[], y: i32[])
            length 1000;
            array a: i32; array b: i32; array c: i32; array d: i32;
            map (in x, out a) { a[0] = x[0] + 1; }
            map (in a, out b) { b[0] = a[0] ^ 5; }
            map (in b, out c) { c[0] = c[0] - b[0]; }
            map (in c, out d) { d[0] = c[0] << 1; }
            map (in d, out y) { y[0] = d[0] | 1; }
        .endkernel
        RECIPE  five(x, y)
        HALT
END
mpu-run --target upmem five.s --in x=random:1 --check >/dev/null || status=1
mpu-run --target upmem five.s --in x=random:1 --stats=json >five.json || status=1
for want in '"dma_read_bytes": 4000' '"dma_written_bytes": 4000'; do
    grep -q "$want" five.json || { echo "five maps: not $want" && grep 'dma_.*_bytes"' five.json && status=1; }
done
# An else that no DPU holds, for its table has 256 KB, is not built where it is not taken.
cat >large.s <<'END'
        .size   n = 10
        .group  g[n]
        .lut large k=16 width=32 = 5, 7, 9
        .var in  x: u16 @g = r0
        .var out y: u32 @g = r1
        .buffer in  x: u16[n]
        .buffer out y: u32[n]
        .kernel twice stage(x: u16[], y: u32[], n: u64) else look_up
            length n;
            map (in x, out y) { y[0] = x[0] < 3 ? 5 + 2 * x[0] : 0; }
        .endkernel
        RECIPE  twice(x, y, n)
        HALT
        .sub    look_up
        COMPUTEG @g
        LUT.32 r0 large r1
        COMPUTE_DONE
        RETURN
        .endsub
END
for way in upmem 'upmem --check'; do
    # shellcheck disable=SC2086
    mpu-run --target $way large.s --in x=0,1,2,3,4,5,6,7,8,9 --print y >large.got || status=1
    grep -q '^y = 5 7 9 0 0 0 0 0 0 0$' large.got || { echo "an else that is not taken: $way" && status=1; }
done
# A launch may say how many units there are, on every target; which is the first of them, on DPUs not: slices lie from 0 on.
cat >units.s <<'END'
        .buffer inout x: i32[65]
        .kernel f stage(x: i32[], k: i32)
            length 65;
            map (inout x) { x[0] = x[0] * 3 + k; }
        .endkernel
        RECIPE  f(x, 1) units 9
        RECIPE  f(x, 2) units 2
        HALT
END
for way in golden upmem 'upmem --check'; do
    # shellcheck disable=SC2086
    mpu-run --target $way units.s --in x=iota --print 'x[0:4]' >units.got || status=1
    grep -q '^x\[0:4\] = 5 14 23 32$' units.got || { echo "launches of some units: $way" && status=1; }
done
sed 's/units 2/& from 7/' units.s >from.s
mpu-run --target upmem from.s --in x=iota >from.got 2>&1 && echo 'a first unit is taken' && status=1
grep -q "^from.s:7:9: error: kernel 'f': form 'stage' leaves the first unit to the machine" from.got || { cat from.got && status=1; }
# A buffer that is worked on element by element here and seen whole there: on DPUs in ways that do not go together, so 'else' stands in.
cat >ways.ez <<'END'
buffer inout x: i32[64];
buffer out y: i32[64];
kernel b stage(x: i32[], y: i32[]) { length 64; map (in x, out y) { y[0] = x[0] + 2; } }
kernel c stage(w: i32[], y: i32[]) { length 64; map (inout y, whole w[16]) { y[0] += w[15 - (y[0] & 15)]; } }
main { launch b(x, y); launch c(x, y); launch b(y, x); }
END
ezpim -c ways.ez -o ways.o && mpu-ld --target upmem ways.o -o ways.mpu 2>ways.err || status=1
for file in ways.ez ways.mpu; do
    for way in golden upmem 'upmem --check'; do
        [ "$way $file" != 'golden ways.mpu' ] || continue
        # shellcheck disable=SC2086
        mpu-run --target $way $file --in x=iota --print 'x[0:2]' >ways.got 2>ways.err || status=1
        grep -q '^x\[0:2\] = 17 17$' ways.got || { echo "a buffer in two ways: $way $file" && cat ways.err && status=1; }
    done
done
mpu-run --target upmem ways.ez --in x=iota 2>&1 | grep -q '^ways.ez:4:37: warning: .*cannot lie in two ways.*-Wkernel-else' || status=1
exit $status
