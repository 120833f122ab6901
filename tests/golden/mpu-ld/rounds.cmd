# More elements than the chip has lanes: in rounds, or refused by what stands in the way.
try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
cat >small.yaml <<'S'
name: small
extends: racer
machine: {mpus: 1, vrf_per_rfh: 4, rfh_per_mpu: 2}
S
cat >a.s <<'S'
        .group g[1000]
        .group h[100]
        .group few[600] like g
        .var in x: u8 @g r0
main:   COMPUTEG @g
        INV.8 r0 r1
        COMPUTE_DONE
        HALT
S
mpu-as -g a.s
try mpu-ld --target small.yaml -o a.mpu a.o
mpu-objdump --target small.yaml a.mpu | sed -n '1,/^  registers/p;/^target/,$p'
sed 's/HALT/GMOVE up/; s/^main:/        .move up u8 x[i] = x[i + 1]\n&/' a.s >moves.s
sed 's/HALT/JUMP_ANY main/' a.s >any.s
sed 's/HALT/COMPUTE RFH0 VRF0\n        INC.8 r1 r1\n        COMPUTE_DONE/' a.s >fixed.s
sed 's/h\[100\]/h[50] at RFH0.VRF0/' a.s >at.s
for f in moves any fixed at; do
    mpu-as -g $f.s
    try mpu-ld --target small.yaml -o x.mpu $f.o
done
rm -f small.yaml *.s *.o *.mpu
