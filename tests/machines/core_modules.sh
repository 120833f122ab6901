#!/bin/sh
# SPDX-License-Identifier: MIT
# Modules on the toy core: two kernels with one text and what they share, structures by value, buffers from
# a byte on; what is refused.
#   core_modules.sh SOURCE BIN TOYBIN
. "$1/tests/machines/core_tools.sh"

# count adds what x[0] holds to the first shared word; total puts both shared words into y, times p's
# second member, plus its last byte.
cat >pair.s <<'S'
        .size   n = 4
        .buffer in  x: i64[n]
        .buffer out y: i64[2]
        .module pair core
        .data   0, -10
        .data   0x7
        .entry  count(x: i64[])
            bnez x15 out
            ld x5 (x1)
            ld x6 (x13)
            add x6 x6 x5
            st x6 (x13)
        out: end
        .entry  total(y: i64[], p: bytes[24, 8])
            bnez x15 out
            ld x5 (x13)
            st x5 (x1)
            li x6 8
            add x6 x6 x13
            ld x5 (x6)
            add x5 x5 x3
            add x5 x5 x4
            add x6 x6 x6
            li x7 8
            add x1 x1 x7
            st x5 (x1)
        out: end
        .endmodule
        .kernel count core(x: i64[]) in pair
        .kernel sum core(y: i64[], p: bytes[24, 8]) in pair entry total
main:   REPEAT 3
        RECIPE  count<<<64>>>(x)
        REPEAT_END
        RECIPE  count<<<1>>>(x + 8 * (n - 1))
        RECIPE  sum<<<1>>>(y, bytes(u32 1, i64 100, u8 5))
        HALT
S
holds 'what entries share' 'y = 340 95' run pair.s --in x=100,2,3,40 --print y
mpu-as pair.s -o pair.o && "$toy/mpu-ld" --target "$core" pair.o -o pair.mpu || status=1
holds 'from a package' 'y = 340 95' run pair.mpu --in x=100,2,3,40 --print y
holds 'twice' 'y = 340 95' run pair.mpu --in x=100,2,3,40 --print y
run pair.s --in x=1,2,3,4 --stats json:s.json || status=1
# 24 shared bytes and 32 of x go there.
grep -q '"bytes_in": 56' s.json || { echo 'shared bytes are not charged' && status=1; }
mpu-objdump --reassemble pair.o >again.s && mpu-as again.s -o again.o && cmp pair.o again.o || status=1
holds 'an object dump' 'sum core(y: i64[], p: bytes[24, 8]) in pair entry total' mpu-objdump -x pair.o

# From two objects: the module is one, and so is what its entries share.
sed '/^main/,$d' pair.s >head.s
{ cat head.s && printf '        .global other\nmain:   RECIPE count<<<1>>>(x)\n        JUMP other\n' ; } >one.s
{ cat head.s && printf '        .global other\nother:  RECIPE sum<<<1>>>(y, bytes(u64 0))\n        HALT\n'; } >two.s
mpu-as one.s -o one.o && mpu-as two.s -o two.o && "$toy/mpu-ld" --target "$core" one.o two.o -o both.mpu &&
    holds 'of two objects' 'y = 9 -10' run both.mpu --in x=9,2,3,40 --print y || status=1
sed 's/-10/-11/' two.s >three.s
mpu-as three.s -o three.o && holds 'modules that differ' "module 'pair' is declared differently" "$toy/mpu-ld" --target "$core" one.o three.o -o no.mpu

# refused WHAT WANTED SED
refused() {
    sed "$3" pair.s >bad.s
    holds "$1" "$2" run bad.s --in x=1,2,3,4
}
refused 'an entry that is not there' "kernel 'sum': module 'pair' has no entry 'totl'; did you mean 'total'?" 's/entry total$/entry totl/'
refused 'other parameters' "its module declares it as count core(x: i64[])" 's/count core(x: i64\[\])/count core(x: i64[], n: u64)/; s/(x)$/(x, 3)/; s/count<<<1>>>(x.*/count(x, 3)/'
refused 'no module' "there is no module 'pairs'" 's/in pair entry/in pairs entry/'
refused 'two modules of one name' "module 'pair' is declared twice" 's/^main/        .module pair core = "end"\n&/'
refused 'another form' "is of form 'pypim', and module 'pair' of form 'core'" 's/count core(/count pypim(/'
refused 'an entry twice' "bad.s:14:1: error" 's/total(y/count(y/'
refused 'too many bytes' "parameter 'p' has no more than 24 bytes" 's/u8 5/u64 5, u8 1/'
refused 'no bytes' "parameter 'p' takes bytes(...)" 's/bytes(u32 1.*)/7)/'
refused 'a size among bytes' 'a size is no part of bytes' 's/u32 1, /u32 n, /'
refused 'beyond the buffer' "kernel 'count', parameter 'x': buffer 'x' has 32 bytes, not 40" 's/8 \* (n - 1)/8 * (n + 1)/'
refused 'between elements' "elements of buffer 'x' (8 bytes) do not begin at byte 12" 's/8 \* (n - 1)/12/'
refused 'into a split buffer' "buffer 'x' is split, and is given whole" 's/count(x: i64\[\])$/&\n            .split x 8 0/'
refused 'a unit that is none' 'cannot be split by 12 bytes' 's/count(x: i64\[\])$/&\n            .split x 12 0/'
refused 'beyond a row' "buffer 'x' has 8 bytes, not 24" 's/count(x: i64\[\])$/&\n            .each x/'
sed 's/count(x: i64\[\])$/&\n            .same x/' pair.s >same.s
holds 'into each copy' 'y = 340 95' run same.s --in x=100,2,3,40 --print y
refused 'data that is none' "bad.s:5:1: error" 's/-10/ten/'
refused 'an odd alignment' 'an alignment is 1, 2, 4, 8 or 16' 's/core(y: i64\[\], p: bytes\[24, 8\])/core(y: i64[], p: bytes[24, 3])/'
refused 'a module without an end' "'.module' is not closed" '/endmodule/d'
exit $status
