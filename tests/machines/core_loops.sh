#!/bin/sh
# SPDX-License-Identifier: MIT
# A file with a kernel of a portable form on three machines and under --check: golden by its interpreter,
# the toy core by what it makes of it, racer behind 'else'; what is said of both, and what is refused.
#   core_loops.sh SOURCE BIN TOYBIN
. "$1/tests/machines/core_tools.sh"

cat >loop.ez <<'E'
size n = 1000;
group g[n];
in  x: i64 @ g;
out y: i64 @ g;
buffer in  x: i64[n];
buffer out y: i64[n];
kernel f loop(x: i64[], y: i64[], n: u64, a: i64) {
    for i < n
        t = x[i] + a
        t = t ^ i       # each
        y[i] = t << 2
}
main {
    launch f<<<5>>>(x, y, n, -3) else { compute g { y = ((x - 3) ^ i64(index())) << 2; } }
    launch f<<<[3, 7]>>>(y, y, n / 2, 11) else {
        compute g { if (index() < n / 2) { y = ((y + 11) ^ i64(index())) << 2; } }
    }
}
E
for way in core golden racer engine; do
    set -- --target "$core"
    [ $way = core ] || [ $way = engine ] || set -- --target $way
    [ $way != engine ] || set -- "$@" --engine golden
    "$toy/mpu-run" "$@" loop.ez --in x=random:3 --out y=$way.txt || status=1
    cmp core.txt $way.txt || { echo "$way has another result" && status=1; }
done
holds 'checked on the core' 'done; after 2 launches 32000 bytes of memory agreed with golden' run loop.ez --in x=random:3 --check
holds 'checked on racer' 'elements agreed with golden' "$toy/mpu-run" --target racer loop.ez --in x=random:3 --check
holds 'golden alone' 'has nothing to compare' "$toy/mpu-run" --target golden loop.ez --in x=random:3 --check
run loop.ez --in x=random:3 --stats json:one.json --out y=one.txt && run loop.ez --in x=random:3 --check --stats json:two.json --out y=two.txt >/dev/null || status=1
cmp one.txt two.txt || status=1
[ "$(total one.json)" = "$(total two.json)" ] || { echo 'checking changes what a launch costs' && status=1; }
run loop.ez --in x=random:3 --check --target "$core" --size n=37 >/dev/null || status=1
"$toy/ezpim" loop.ez -o loop.mpu && "$toy/mpu-ld" --target "$core" loop.mpu -o core.mpu && "$toy/mpu-ld" --target golden loop.mpu -o golden.mpu || status=1
run core.mpu --in x=random:3 --check --out y=package.txt >/dev/null && cmp core.txt package.txt || status=1
"$toy/mpu-run" --target golden golden.mpu --in x=random:3 --out y=package.txt && cmp core.txt package.txt || status=1
holds 'the text of a package' 'y[i] = t << 2' "$toy/mpu-objdump" --recipes golden.mpu
holds 'its code' 'st x11 (x12)' "$toy/mpu-objdump" --recipes --target "$core" core.mpu
# Which elements write last depends on who carries them out.
sed 's/y\[i\] = t/y[0] = t/' loop.ez >order.ez
holds 'order' 'depend on the order of threads' run order.ez --in x=random:3 --check
# Faults, by the line of the text, on either side.
sed 's/y\[i\] = t/y[n] = t/' loop.ez >fault.ez
holds 'a fault on the core' "kernel 'f', pc 14, fault.ez:11: unit 0, worker 0 finds no 8 bytes at 0x" run fault.ez --in x=random:3
holds 'a fault on golden' "kernel 'f', fault.ez:11: on golden element 0 of the loop finds no 8 bytes at 0x" run fault.ez --in x=random:3 --engine golden
holds 'a fault when checked' "kernel 'f', pc 14, fault.ez:11: unit 0, worker 0" run fault.ez --in x=random:3 --check
sed 's/t << 2/t * 2/' loop.ez >text.ez
for target in "$core" golden; do
    holds "a text that is none on $target" "text.ez:11:1: error: kernel 'f': a statement has one operation" "$toy/mpu-run" --target "$target" text.ez --in x=random:3
done
sed 's/t << 2/t << 40000/' loop.ez >large.ez
holds 'what the core cannot' "large.ez:11:1: error: kernel 'f': the core's li takes no 40000" run large.ez --in x=random:3
"$toy/mpu-run" --target golden large.ez --in x=random:3 --expect y=zeros || status=1
sed 's/a: i64)/a: f64)/; s/-3)/1)/; s/, 11)/, 2)/' loop.ez >type.ez
holds 'a parameter that is none' 'parameters of a loop are whole numbers and buffers of 8 bytes' run type.ez --in x=random:3
# A form without an interpreter beside one: golden carries out all kernels of a program, or none.
sed 's/^main {/kernel nop core() { end }\n&\n launch nop() else { }/' loop.ez >both.ez
run both.ez --in x=random:3 --out y=both.txt && cmp core.txt both.txt || status=1
run both.ez --in x=random:3 --engine golden --out y=both.txt && cmp core.txt both.txt || status=1
holds 'checking both' "kernel 'nop': golden does not interpret kernels of form 'core', so there is nothing to check it with" run both.ez --in x=random:3 --check
# Several kernels in one text.
cat >pair.s <<'E'
        .size   n = 50
        .buffer in x: i64[n]
        .buffer out y: i64[n]
        .module pair loop
        .entry  less(x: i64[], y: i64[], n: u64)
            for i < n
                y[i] = x[i] - 5
        .entry  twice(y: i64[], n: u64)
            for i < n
                y[i] = y[i] << 1
        .endmodule
        .kernel less loop(x: i64[], y: i64[], n: u64) in pair
        .kernel twice loop(y: i64[], n: u64) in pair
        RECIPE  less(x, y, n)
        RECIPE  twice<<<3>>>(y, n)
        HALT
E
for way in core golden engine; do
    set -- --target "$core"
    [ $way != golden ] || set -- --target golden
    [ $way != engine ] || set -- "$@" --engine golden
    holds "two kernels of a text on $way" 'y[0:4] = -10 -8 -6 -4' "$toy/mpu-run" "$@" pair.s --in x=iota --print 'y[0:4]'
done
holds 'two of a text, checked' 'after 2 launches 1600 bytes of memory agreed' run pair.s --in x=iota --check
sed 's/y\[i\] << 1/y[n] << 1/' pair.s >wrong.s
holds 'its line' "kernel 'twice', wrong.s:10: on golden element 0 of the loop finds no 8 bytes" run wrong.s --in x=iota --engine golden
sed 's/^ *.entry  less/ .data 1\n&/' pair.s >wrong.s
holds 'shared data' "kernel 'less': kernels of this form share no data, only buffers" run wrong.s --in x=iota
# A limit holds for golden, too.
sed 's/n, -3/1000000000 * n, -3/; s/\[i\]/[0]/g' loop.ez >long.ez
holds 'no end' 'limit' timeout 60 "$toy/mpu-run" --target golden long.ez --in x=random:3 --max-seconds 1
exit $status
