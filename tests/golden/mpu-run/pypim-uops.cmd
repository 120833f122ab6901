# A run on pypim as the words of its host, and these words as a program: the same registers.
try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
cat >sum.s <<'S'
        .group g[6]
        .group h[6]
        .var in  x: u8 @ g = r0
        .var in  y: u8 @ g = r1
        .var out z: u8 @ g = r2
        .var out w: u8 @ h = r3
        .move there u8 w[i] = z[5 - i]
main:   COMPUTEG @g
        ADD.8 r0 r1 r2
        CMPGT.8 r0 r1
        SETMASK cond
        SUB.8 r0 r1 r2
        COMPUTE_DONE
        GMOVE there
        HALT
S
data='--in x=9,2,7,4,5,250 --in y=1,9,7,9,0,9'
try mpu-run --target pypim sum.s $data --print z --print w --uops words.pypim:pypim --uops words.pypimhex:pypim-hex
head -n 8 words.pypimhex
columns='--in RFH0.VRF0.r0:u32=9,2,7,4,5,250 --in RFH0.VRF0.r1:u32=1,9,7,9,0,9'
for form in pypim pypimhex; do
    try mpu-run --target pypim --set mpus=1 words.$form $columns --print RFH0.VRF0.r2[0:6] --print RFH0.VRF1.r3[0:6]
done
# What cannot be written.
printf '        .geometry lanes=4, grid=[3]\n        SEND MPU+1 wrap\n        SEND_DONE\n        RECV MPU-1 wrap\n' >send.s
try mpu-run --target pypim send.s --uops send.pypim:pypim
try mpu-run --target racer sum.s $data --uops racer.pypim:pypim
try mpu-run --target pypim sum.s $data --uops part.pypim:pypim --log-from 2
try mpu-run --target pypim words.pypimhex --uops again.pypim:pypim
try mpu-run --target pypim --engine golden sum.s $data --uops golden.pypim:pypim
ls *.pypim
