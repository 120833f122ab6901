# Moves with an index in objects, programs and maps; the source that is written assembles to the same object.
cat >m.s <<'S'
        .size  n = 100
        .group g[n]
        .group h[300]
        .group t[4, 8]
        .var   x: u32 @h = r2
        .var   y: u32 @g = r3
        .var   k: i16 @g = r4
        .move  take u32 y[i] = x[k[i]] clip
        .move  some u32 y[i: 1 .. n - 1] = x[@g r5: u9[i]] else 7
        .move  put u32 x[k[i]] = y[i] wrap
        .move  turn u8 @t r8 .. r15[y, x, c] = @t r16 .. r23[y, @t r24 .. r31: u3[y, x, c], 7 - c]
        .move  pick u8 @t r8[y, x] = r40 .. r43[@t r24: u2[y, x]]
        GMOVE  take
        GMOVE  put
S
mpu-as m.s
mpu-objdump -d -r m.o
mpu-objdump -x m.o | sed -n '/^MOVES/,/^$/p'
mpu-objdump --reassemble -o again.s m.o
mpu-as -o again.o again.s
cmp m.o again.o
readelf -SW m.o | sed -n 's/.*\(\.mpu\.indices  *PROGBITS\).*/\1/p'
mpu-ld -r -o r.o m.o
cmp m.o r.o
mpu-ld -o m.mpu m.o
mpu-objdump --target racer m.mpu | sed -n '/^  move/,/registers, bits/p'
rm m.s m.o r.o again.s again.o m.mpu
