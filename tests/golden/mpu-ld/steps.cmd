# Moves with laps: what is refused when they are linked, what a map says, and what stops a run.
cat >deep.s <<'S'
        .group g[4, 10]
        .var   x: u8 @g = r1
        .var   y: u8 @g = r2
        .move  m u8 x[lap(2), i] = y[lap, i]
        .move  fine u8 x[lap, i] = y[lap, i]
        REPEAT 4
        CALL   part
        REPEAT_END
        REPEAT 2
        REPEAT 2
        GMOVE  m
        GMOVE  fine
        REPEAT_END
        REPEAT_END
        HALT
        .sub part
        GMOVE  fine
        RETURN
        .endsub
S
sed -i 's/CALL /JUMP /' deep.s
cat >far.s <<'S'
        .size  n
        .group g[4, 10]
        .var   x: u8 @g = r1
        .var   y: u8 @g = r2
        .move  rows u8 x[lap, i] = y[3 - lap, i]
        .move  tail u8 x[lap(1), i: lap .. lap(1) + 8] = y[0, i]
        .move  jump u8 x[0, 3 * i + lap: 0 .. 3] = y[0, i]
        REPEAT size(n)
        GMOVE  rows
        REPEAT 10
        GMOVE  tail
        REPEAT_END
        GMOVE  jump
        REPEAT_END
S
cat >long.s <<'S'
        .group g[600]
        .var   x: u8 @g = r1
        .move  late u8 x[i: 599 .. lap + 600 - lap(1)] = x[lap]
        REPEAT 600
        REPEAT 600
        GMOVE  late
        REPEAT_END
        REPEAT_END
S
try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
mpu-as -g deep.s
mpu-as -g far.s
mpu-as -g long.s
try mpu-ld -o deep.mpu deep.o
try mpu-ld -o far.mpu far.o
try mpu-ld --target racer --size n=3 -Map=far.map -o far3.mpu far.mpu
sed -n '/  move/,/registers, bits/p' far.map
try mpu-ld --target racer --size n=5 -o far5.mpu far.mpu
try mpu-ld -o long.mpu long.o
try mpu-run --target golden long.mpu
mpu-objdump -x far.mpu | sed -n '/MOVES/,/^$/p'
rm deep.* far* long.*
