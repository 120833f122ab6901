try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
cat >two.s <<'S'
        .size h
        .size w
        .group g[h, w]
        .var out z: u8 @ g = r1
        COMPUTEG @g
        LI.8 7 r1
        COMPUTE_DONE
S
try mpu-run --target racer --size h=2,w=3 --print z two.s
try mpu-run --target racer --size h=2 --size w=3 --expect z=7,7,7,7,7,7 two.s
mpu-run --target racer --size h=2,w=3,4 --stats csv two.s | cut -d, -f1-6
try mpu-run --target racer --size h=2, two.s
try mpu-run --target racer --size h=2,w two.s
try mpu-run --target racer --size q=1 two.s
try mpu-run --target racer --size h=1,w=1 --print RFH0.VRF0.r64 two.s
