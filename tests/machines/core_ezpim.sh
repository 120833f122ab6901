#!/bin/sh
# SPDX-License-Identifier: MIT
# Buffers, kernels, modules and launches of ezpim on the toy core: the same bytes, time and energy as in
# assembly and by --launch, what stands behind 'else' on machines without kernels, and what is refused.
#   core_ezpim.sh SOURCE BIN TOYBIN
. "$1/tests/machines/core_tools.sh"

cat >else.ez <<'E'
size n = 8;
group g[n];
group own[3];
in  x: i64 @ g;
out y: i64 @ g;
out z: i64 @ own;
buffer in  x: i64[n];
buffer out y: i64[n];
kernel scale core(x: i64[], y: i64[], a: i64) {
    li x6 3
    shl x6 x15 x6
    add x7 x1 x6
    add x8 x2 x6
    ld x9 (x7)
    add x9 x9 x3
    st x9 (x8)
    end
}
main {
    launch scale<<<n>>>(x, y, -3) else {
        compute g { y = x - 3; }
    }
    compute own { z = 7; }
}
E
expect 'a group without room' 'y[0:2] = -3 -2' run else.ez --size n=8000 --in x=iota --print 'y[0:2]'
expect 'its neighbour' 'z = 7 7 7' run else.ez --size n=8000 --in x=iota --print z
expect 'golden takes else' 'y[0:2] = -3 -2' run else.ez --size n=800 --in x=iota --engine golden --print 'y[0:2]'
# What is there where no kernel is launched alone; reductions, loops and questions behind else.
sed 's/^group own.*/group h[4] like g;\n&\nout t: i64 @ h;\nout s: i64;/
     s/compute g { y.*/&\n        repeat (3) { compute g { y = y + 1; } }\n        if (any(y > 7)) { compute g { y = y - 1; } }\n        move t[i] = y[i];\n        s = sum(y);/' else.ez >more.ez
holds 'more' 's = 28' run more.ez --engine golden --in x=iota --print s
holds 'a move' 't = 0 1 2 3' run more.ez --engine golden --in x=iota --print t
holds 'a warning' 'the output `t` is assigned only under conditions' run more.ez --engine golden --in x=iota
for target in racer mimdram duality-cache; do
    holds "$target takes else" 's = 28' mpu-run --target $target more.ez --in x=iota --print s --check
done
# Braces of a text's own; nobody asks what it says before it is launched.
cat >braces.ez <<'E'
kernel braces ptx() { { a { } } { } }
main { launch braces(); }
E
ezpim -c braces.ez -o braces.o && holds 'braces' '{ a { } } { }' mpu-objdump --reassemble braces.o
ezpim -c else.ez -o else.o && mpu-objdump --reassemble else.o >else.s && mpu-as else.s -o again.o && cmp else.o again.o ||
    status=1
grep -q 'RECIPE scale<<<8>>>(x, y, -3) else else\$0\|RECIPE scale<<<n>>>(x, y, -3) else else\$0' else.s || status=1
expect 'a package' 'y[0:2] = -3 -2' run else.o --in x=iota --print 'y[0:2]'

# The same program in assembly, ezpim, and by --launch.
cat >file.core <<'E'
.buffer counts: i64[1]
.entry add(x: i64[], y: i64[], a: i16)
            li x6 3
            shl x6 x15 x6
            add x7 x1 x6
            add x8 x2 x6
            ld x9 (x7)
            beqz x3 out
            add x9 x9 x3
       out: st x9 (x8)
            end
.entry count(n: u64)
            ld x6 (x2)
            add x6 x6 x1
            st x6 (x2)
            end
E
sed '/^\.entry count/,$d; /^\.buffer/d; /^\.entry/d' file.core >add.text
cat >same.ez <<'E'
include "file.core";
size n;
size k = 2 * n;
buffer inout x: i64[k];
buffer out y: i64[n];
buffer inout counts: i64[1];
main {
    launch add<<<n / 2, 2>>>(x + 8 * n / 2, y, 3);
    launch add<<<[1, 2], [1, 1, 1]>>>(x, y, n - 5) units 3 from n;
    for i: 0 .. 3 { launch count(i + 1) units 1; }
}
E
cat >own.ez <<'E'
size n;
size k = 2 * n;
buffer inout x: i64[k];
buffer out y: i64[n];
buffer inout counts: i64[1];
module file core from "file.core";
kernel more core(x: i64[], y: i64[], a: i16, counts: i64[]) in file entry add;
kernel count core(n: u64, counts: i64[]) in file;
main {
    launch more<<<n / 2, 2>>>(x + 8 * n / 2, y, 3, counts);
    launch more<<<[1, 2], [1, 1, 1]>>>(x, y, n - 5, counts) units 3 from n;
    launch count(1, counts) units 1 from 0;
    launch count(2, counts) units 1;
    launch count(3, counts) units 1;
}
E
cat >same.s <<S
        .size n
        .size k = 2 * n
        .buffer inout x: i64[k]
        .buffer out y: i64[n]
        .buffer inout counts: i64[1]
        .module file core
$(cat file.core)
        .endmodule
        .kernel add core(x: i64[], y: i64[], a: i16, counts: i64[]) in file
        .kernel count core(n: u64, counts: i64[]) in file
main:   .launch add<<<n / 2, 2>>>(x + 8 * n / 2, y, 3, counts)
        .launch add<<<[1, 2], [1, 1, 1]>>>(x, y, n - 5, counts) units 3 from n
        .launch count(1, counts) units 1
        .launch count(2, counts) units 1
        .launch count(3, counts) units 1
        HALT
S
for f in same.s same.ez own.ez file.core; do
    [ $f != file.core ] && set -- || set -- --launch 'add<<<n / 2, 2>>>(x + 8 * n / 2, y, 3)' \
        --launch 'add<<<[1, 2], [1, 1, 1]>>>(x, y, n - 5) units 3 from n' --launch 'count(1) units 1' \
        --launch 'count(2) units 1' --launch 'count(3) units 1' --buffer 'y: i64[n]' --buffer 'x: i64[2 * n]'
    run $f "$@" --size n=4 --in x=1,2,3,4,5,6,7,8 --in counts=10 --out y=$f.txt --out x=$f.x.txt --out counts=$f.c.txt \
        --stats json:$f.json || status=1
    cat $f.x.txt $f.c.txt >>$f.txt
    total $f.json >$f.total
    cmp same.s.txt $f.txt && cmp same.s.total $f.total || { echo "$f is another program" && status=1; }
done
grep -q '"launches":5' same.s.total || { echo 'not 5 launches' && status=1; }
[ "$(tail -n 1 same.s.txt)" = 16 ] || { echo 'counted wrong' && status=1; }

# An object of a file's kernels: launched by --launch, and linked with a program that includes the file.
"$toy/ezpim" file.core && mpu-objdump -x file.o >file.dump && grep -q 'add core(x: i64\[\], y: i64\[\], a: i16, counts: i64\[\]) in file' file.dump || status=1
"$toy/ezpim" -S file.core && mpu-as file.s -o again.o && cmp file.o again.o || status=1
run file.o --launch 'add<<<n / 2, 2>>>(x + 8 * n / 2, y, 3)' --launch 'add<<<[1, 2], [1, 1, 1]>>>(x, y, n - 5) units 3 from n' \
    --launch 'count(1) units 1' --launch 'count(2) units 1' --launch 'count(3) units 1' --buffer 'y: i64[n]' --buffer 'x: i64[2 * n]' \
    --size n=4 --in x=1,2,3,4,5,6,7,8 --in counts=10 --out y=o.txt --out x=ox.txt --out counts=oc.txt --stats json:o.json && head -n 4 same.s.txt | cmp - o.txt || status=1
total o.json | cmp - same.s.total || status=1
"$toy/ezpim" same.ez file.o -o both.mpu && run both.mpu --size n=4 --in x=1,2,3,4,5,6,7,8 --in counts=10 --out y=o.txt &&
    head -n 4 same.s.txt | cmp - o.txt || status=1
holds 'nothing launched' 'file.o: none of its kernels is launched' run file.o
holds 'launches of a program' 'same.ez: launches are for a file of kernels, and this is a program' run same.ez --launch 'count(1)'
holds 'launches of an object' 'both.mpu: launches are for a file of kernels' run both.mpu --launch 'count(1)'
holds 'a buffer of a program' 'same.ez: launches are for a file of kernels' run same.ez --buffer 'y: i64[4]'

# In loops: of a number, of a size, over a question.
sed 's/launch add<<<n .*/repeat (n - 2) { launch add<<<n \/ 2, 2>>>(x + 8 * n \/ 2, y, 3); }/' same.ez >loop.ez
run loop.ez --size n=4 --in x=1,2,3,4,5,6,7,8 --in counts=10 --out y=loop.txt --stats json:loop.json || status=1
grep -q '"launches": 6' loop.json || { echo 'a launch in a loop' && status=1; }

# Structures by value; a file of a kernel's text; no direction.
cat >bytes.ez <<'E'
buffer in x: i64[4];
buffer out y: i64[1];
buffer w: i64[4];
kernel copy core(x: i64[], y: i64[], a: i16) from "add.text";
kernel member core(y: i64[], p: bytes[24, 8], q: bytes[4]) {
    add x6 x3 x4
    add x6 x6 x5
    st x6 (x1)
    end
}
main {
    launch copy<<<4>>>(x, w, 1);
    launch copy<<<1>>>(w + 8, y, 0);
    launch member<<<1>>>(y, bytes(u8(1), i64(-100), u8(5)), bytes(u16(7)));
}
E
expect 'members' 'y = -88' run bytes.ez --in x=1,2,3,4 --print y
ezpim -MD bytes.ez -o bytes.o && grep -q 'add\.text' bytes.d || { echo 'the file of a text is no dependency' && status=1; }
sed 's/ld x9 (x7)/ld x9 r7/' add.text >wrong.text
sed 's/add.text/wrong.text/' bytes.ez >wrong.ez
expect 'a wrong text' 'wrong.text:5:1: error' run wrong.ez --in x=1,2,3,4
sed 's/st x6 (x1)/st x6 r1/' bytes.ez >wrong.ez
expect 'a wrong line' 'wrong.ez:8:1: error' run wrong.ez --in x=1,2,3,4
sed 's/st x6 (x1)/st x6 (x4)/' bytes.ez >wrong.ez
expect 'a fault' "kernel 'member', pc 2, wrong.ez:8: unit 0, worker 0 finds no 8 bytes" run wrong.ez --in x=1,2,3,4

# Words of the language are names elsewhere.
cat >names.ez <<'E'
group buffer[4];
in  kernel: u8 @ buffer;
out launch: u8 @ buffer;
main { compute buffer { let module = kernel + 1; launch = module; } }
E
expect 'names' 'launch = 2 3 4 5' mpu-run --target racer names.ez --in kernel=1,2,3,4 --print launch

# refused WHAT WANTED SED [FILE]
refused() {
    sed "$3" "${4:-else.ez}" >bad.ez
    holds "$1" "$2" ezpim bad.ez -o bad.o
    [ ! -e bad.o ] || { echo "$1: an object" && status=1 && rm bad.o; }
}
refused 'an unknown kernel' "did you mean 'scale'?" 's/launch scale/launch scal/'
refused 'an unknown buffer' 'there is no buffer `q`' 's/(x, y, -3)/(x, q, -3)/'
refused 'a variable' 'a kernel works on buffers' 's/(x, y, -3)/(x, z, -3)/'
refused 'too few' 'kernel `scale` has 3 parameters, and here are 2' 's/(x, y, -3)/(x, y)/'
refused 'another type' 'parameter `y` takes a buffer of i64, and `q` has u8' 's/(x, y, -3)/(x, q, -3)/; s/^buffer in/buffer q: u8[4];\n&/'
refused 'no buffer' 'parameter `y` takes a buffer, or one from a byte on' 's/(x, y, -3)/(x, 3, -3)/'
refused 'no number' '`x` is no constant' 's/(x, y, -3)/(x, y, x)/'
refused 'a number that is too large' '4294967296' 's/(x, y, -3)/(x, y, 4294967296)/; s/a: i64)/a: u32)/'
refused 'a real number' '1.5' 's/(x, y, -3)/(x, y, 1.5)/'
refused 'a value of the host' '`v` is no constant' 's/(x, y, -3)/(x, y, v)/; s/^group own.*/&\nhost v: i64;/'
refused 'a grid of 0' 'grid' 's/<<<n>>>/<<<0>>>/'
refused 'four dimensions' 'the grid has at most 3 dimensions' 's/<<<n>>>/<<<[1, 1, 1, 1]>>>/'
refused 'four parts' 'a geometry is a grid, a block, and bytes' 's/<<<n>>>/<<<1, 1, 1, 1>>>/'
refused 'units' 'expected `units`, found `unit`' 's/-3) else/-3) unit 3 else/'
refused 'from without units' 'how many are they?' 's/-3) else/-3) from 3 else/'
refused 'units twice' '`units` is said twice' 's/-3) else/-3) units 3 units 4 else/'
refused 'inside compute' '`launch` stands outside of `compute`' 's/z = 7;/launch scale(x, y, 3);/'
refused 'inside else' 'behind the `else` of a launch stands what is done without kernels' 's/y = x - 3; }/&\n launch scale(x, y, 3);/'
refused 'a stand-in elsewhere' '`y` stands for the buffer of its name' 's/^    compute own/    compute g { y = 1; }\n&/'
refused 'another shape' 'the buffer `y` and the variable of its name differ in shape' 's/buffer out y: i64\[n\]/buffer out y: i64[4]/'
refused 'another direction' 'differ in direction' 's/buffer out y/buffer inout y/'
refused 'a buffer of a group' '`g` is declared twice' 's/^buffer in/buffer g: i64[4];\n&/'
refused 'a buffer twice' 'buffer `x` is declared twice' 's/^buffer in.*/&\n&/'
refused 'a kernel twice' 'kernel `scale` is declared twice' 's/^main {/kernel scale core() { end }\n&/'
refused 'not closed' 'the text of the kernel is not closed' 's/^    end/{{{{/'
refused 'an empty text' 'kernel `no` is empty' 's/^main {/kernel no core() {}\n&/'
refused 'no file' "cannot read 'no.text'" 's/add.text/no.text/' bytes.ez
refused 'no module' 'there is no module `fil`' 's/) in file;/) in fil;/' own.ez
refused 'another form' 'is of form `pypim`, and module `file` of form `core`' 's/count core(n/count pypim(n/' own.ez
refused 'another word' 'expected `entry`, found `entrance`' 's/in file entry/in file entrance/' own.ez
refused 'no bytes' 'takes `bytes(u32(7), f32(1.5))`' 's/bytes(u16(7))/7/' bytes.ez
refused 'a part without a type' 'a part of bytes is a number with a type' 's/u16(7)/7/' bytes.ez
refused 'too many bytes' 'parameter `q` has no more than 4 bytes' 's/u16(7)/u64(7)/' bytes.ez
refused 'an odd alignment' 'an alignment is 1, 2, 4, 8 or 16' 's/bytes\[24, 8\]/bytes[24, 3]/' bytes.ez
refused 'a buffer parameter of a length' 'a buffer of any length is written `y: i64[]`' 's/(y: i64\[\], p/(y: i64[4], p/' bytes.ez
refused 'a brace too many' 'starts no declaration' 's/    st x6.*/}/' bytes.ez
sed 's/<<<n \/ 2, 2>>>/<<<n - 4>>>/' same.ez >bad.ez
expect 'a grid that becomes 0' "kernel 'add': the grid is 0" run bad.ez --size n=4 --in x=1,2,3,4,5,6,7,8 --in counts=0
sed 's/^buffer inout counts.*/buffer inout counts: i64[2];/' same.ez >bad.ez
holds 'a buffer of the file' 'the buffer `counts` is declared differently by the file of its kernels' run bad.ez --size n=4
sed 's/launch scale.*else/launch scale(x, y, -3); if (true)/' else.ez >bad.ez
holds 'a stand-in without else' '`y` stands for the buffer of its name' ezpim bad.ez -o bad.o
sed 's/ else {/;/; /compute g/d; /^out y/d; /^in /d; /^    }/d; /group g/d' else.ez >bad.ez
ezpim -c bad.ez -o bad.o
holds 'no else' "kernel 'scale' (instruction 0) cannot be carried out, and has no 'else'" mpu-ld --target racer bad.o -o bad.mpu
exit $status
