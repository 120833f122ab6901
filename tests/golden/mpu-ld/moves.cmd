# Moves that cannot be carried out, and what a map says of those that can.
cat >bad.s <<'S'
        .size  n = 4
        .group g[10, n]
        .group h[1000000]
        .group k[3]
        .var   x: u8 @g = r1
        .var   y: u8 @h = r2
        .var   z: u8 @k = r3
        .move  beyond u8 x[i, j: n - 5 .. n] = x[i, j]
        .move  round u8 y[i] = z[2 * i] wrap
        .move  fine u8 x[i, j] = x[i, j - 1] else 255
        GMOVE  beyond
        GMOVE  round
        GMOVE  fine
S
cat >good.s <<'S'
        .size  n
        .group g[n]
        .group t[32]
        .var   x: u8 @g = r1
        .var   a: u8[32] @t = r0
        .var   b: u8[32] @t = r32
        .move  shift u8 x[i] = x[i - 1] wrap
        .move  back u8 x[i: 1 .. n - 1] = x[n - 1 - i]
        .move  turn u8 b[i, k] = a[k, i]
        .move  all u8 r2 = x[0]
        GMOVE  shift
        GMOVE  back
        GMOVE  turn
        GMOVE  all
S
try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
mpu-as -g bad.s
mpu-as -g good.s
try mpu-ld --target racer -o bad.mpu bad.o
try mpu-ld --target racer --size n=100 -Map=good.map -o good.mpu good.o
sed -n '/  move/,/registers, bits/p' good.map
try mpu-ld -o twice.mpu bad.o good.o
mpu-objdump -x good.mpu | sed -n '/MOVES/,/^$/p'
rm bad.s good.s bad.o good.o good.mpu good.map
