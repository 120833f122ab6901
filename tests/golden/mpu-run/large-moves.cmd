# Moves with more copies than are kept: into another register, and in place.
cat >m.s <<'S'
        .group g[900, 640]
        .group h[640, 900]
        .group q[768, 768]
        .var in    a: u32 @g = r0
        .var out   b: u32 @h = r1
        .var out   c: u32 @g = r2
        .var inout d: u32 @q = r3
        .move  turn u32 b[i, j] = a[j, i]
        .move  back u32 c[i, j] = b[639 - j, i] wrap
        .move  place u32 d[i, j] = d[767 - j, i]
        GMOVE  turn
        GMOVE  back
        GMOVE  place
        REPEAT 3
        GMOVE  place
        REPEAT_END
S
mpu-as m.s
for t in golden racer mimdram; do
    mpu-run --target $t --place packed --in a=iota --in d=iota --out b=$t-b.npy --out c=$t-c.npy --out d=$t-d.npy m.o
done
for v in b c d; do cmp golden-$v.npy racer-$v.npy && cmp golden-$v.npy mimdram-$v.npy && echo $v; done
mpu-run --target racer --place packed --in a=iota --in d=iota --print d m.o | sed -n 2p | cut -c 1-40
mpu-run --target racer --place packed --in a=iota --in d=iota --print b m.o | sed -n 3p | cut -c 1-40
rm m.s m.o *.npy
