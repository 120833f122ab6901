try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
cat >t.s <<'S'
        .width 8
        .size n <= 200 = 7
        .value v: u8[4] = 10, 20, 30, 40
        .group g[6]
        .var in  x: u8 @g = r1
        .var inout y: u8 @g = r2
        .var out z: u16 @g = r3
        .var out q: u4 @g = r4
        .lut squares k=4 width=8 = 0, 1, 4, 9, 16, 25, 36, 49
        .lut squares = 64, 81, 100, 121, 144, 169, 196, 225
        .lut later k=3 width=9 = value(v[0]), value(v[1]), value(v[2]), value(v[3]), size(n), size(n) - 100, -1
        COMPUTEG @g
        LUT.16 x later z
        LUT.4 x squares q
        LI 3 r5
        CMPGT x r5
        SETMASK cond
        LUT x squares y
        UNMASK
        LUT x squares x             // in place
        COMPUTE_DONE
        HALT
S
run="mpu-run --target golden t.s --in x=0,1,2,4,6,255 --in y=9,9,9,9,9,9"
try $run --print y --print z --print q --print x
try $run --print z --size n=156 --in v=1,2,3,4
try $run --print z --size n=1
try $run --log=insn --print y
for t in racer mimdram duality-cache; do
    try mpu-run --target $t t.s --check --in x=0,1,2,4,6,255 --in y=9,9,9,9,9,9 --print y --print z --print q --print x
done
mpu-as -g -o t.o t.s
mpu-ld -o t.mpu t.o
mpu-objdump --reassemble t.mpu | sed 's/^ *//' | grep -e '^.lut' -e '^LUT'
