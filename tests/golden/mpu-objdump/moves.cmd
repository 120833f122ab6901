# Moves in objects, programs and packages; the source that is written assembles to the same object.
cat >m.s <<'S'
        .size  n = 100
        .group g[n]
        .group t[4, 8]
        .var   x: u32 @g = r2
        .move  shift u32 x[i] = x[i - 1] wrap
        .move  rev u32 @g r3[i: 1 .. n - 1] = x[n - 1 - i]
        .move  turn u8 @t r8 .. r15[y, x, k] = @t r16 .. r23[y, k - 2 * (x - 1), -x] else 255
        .move  all u32 r5 = x[0]
        .move  odd u32 x[2 * i + n - 99: 1 - n + 99 .. 3] = x[lap]
        .move  lane u8 @t r8[-lap(2) - 2 * lap + 3 * y, 2] = @t r9[lap(1) - y, 0] wrap
main:   COMPUTEG @g
        INDEX.32 x
        COMPUTE_DONE
        GMOVE  shift
        GMOVE  all
        REPEAT 2
        GMOVE  odd
        REPEAT_END
        MOVE   RFH0 RFH1
        LANE   shift -1
        MEMCPY.32 VRF0 r1 VRF0 r2
        LANE   reverse
        MOVE_DONE
S
mpu-as m.s
mpu-objdump -d -r m.o
mpu-objdump -x m.o | sed -n '/^MOVES/,/^$/p'
mpu-objdump --reassemble -o again.s m.o
mpu-as -o again.o again.s
cmp m.o again.o
mpu-ld -o m.mpu m.o
mpu-objdump -d m.mpu | sed -n '/GMOVE/p'
mpu-objdump --target racer m.mpu | sed -n '/^  move/,/registers, bits/p'
rm m.s m.o again.s again.o m.mpu
