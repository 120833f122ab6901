# Strided destinations, and moves that are another one in each lap, on targets with other lanes.
cat >m.s <<'S'
        .size  n
        .group g[n]
        .group h[160]
        .group t[4, n]
        .var in  x: u16 @g = r0
        .var out y: u16 @h = r1
        .var in  a: u16 @t = r2
        .var out b: u16 @t = r3
        .var out c: u16 @g = r4
        .group e[5]
        .var out d: u16[4] @e = r8
        .move  odd u16 y[2 * i + 1] = x[i]
        .move  back u16 y[150 - 4 * i: 0 .. 5] = x[i]
        .move  place u16 y[size(n)] = x[n - 1]
        .move  flip u16 b[3 - lap, j] = a[lap, j]
        .move  triangle u16 c[i: lap .. lap(1) + 1] = a[lap(1), i - lap] else 999
        .move  round u16 d[i, lap] = x[i + 2 * lap] wrap
        GMOVE  odd
        GMOVE  back
        GMOVE  place
        REPEAT 4
        GMOVE  flip
        GMOVE  round
        REPEAT 3
        GMOVE  triangle
        REPEAT_END
        REPEAT_END
S
for t in golden racer mimdram duality-cache simdram; do
    mpu-run --target $t --size n=70 --in x=$(seq -s, 1 70) --in a=$(seq -s, 101 380) --print y --print b --print c --print d m.s >$t.txt
    cmp golden.txt $t.txt && echo $t
done
cat racer.txt
# A chip with few lanes, so that rows and laps go across MPUs; each machine checks itself.
mpu-run --target racer --set array.lanes=3 --set machine.rfh_per_mpu=2 --set machine.vrf_per_rfh=4 --check --size n=70 --in x=$(seq -s, 1 70) --in a=$(seq -s, 101 380) --print y --print b --print c --print d m.s | cmp golden.txt -
mpu-run --target racer --set control.order=paper --check --size n=70 --in x=$(seq -s, 1 70) --in a=$(seq -s, 101 380) --print y --print b --print c --print d m.s | cmp golden.txt -
rm m.s *.txt
