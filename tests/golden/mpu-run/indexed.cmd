# Gather and scatter: what they leave, and what stands in their way.
cat >m.s <<'S'
        .size  n
        .group g[n]
        .group h[4]
        .var in  x: i16 @h = r1
        .var in  k: i8 @g = r2
        .var out y: i16 @g = r3
        .var out c: i16 @g = r4
        .var out w: i16 @g = r5
        .var out e: i16 @g = r6
        .var in  v: i16 @g = r7
        .var out z: i16 @h = r8
        .move  take i16 y[i] = x[k[i]]
        .move  near i16 c[i] = x[k[i]] clip
        .move  round i16 w[i] = x[k[i]] wrap
        .move  some i16 e[i] = x[k[i]] else -1
        .move  put i16 z[k[i]] = v[i]
        GMOVE  take
        GMOVE  near
        GMOVE  round
        GMOVE  some
        GMOVE  put
S
for t in golden racer mimdram duality-cache simdram; do
    mpu-run --target $t --size n=7 --in x=10,11,12,13 --in k=3,0,-1,9,0,2,-5 --in v=iota --print y --print c --print w --print e --print z m.s >$t.txt
done
cat golden.txt
for t in racer mimdram duality-cache simdram; do
    cmp golden.txt $t.txt
done
mpu-run --target racer --check --size n=7 --in x=iota --in k=3,0,-1,9,0,2,-5 --in v=iota --stats text:full m.s | grep register_transfers
mpu-run --target racer --size n=7 --in x=iota --in k=iota --in v=iota --log insn m.s 2>&1 | sed "s,^\\( *[0-9]*\\) *[0-9]*,\\1,"
mpu-run --target racer --set dtc.buffer_registers=0 --size n=7 --in x=iota --in k=iota --in v=iota m.s
mpu-run --target racer --size n=100000000 --in x=iota --in k=random:1 --in v=random:2 m.s
status=$?
rm m.s golden.txt racer.txt mimdram.txt duality-cache.txt simdram.txt
exit $status
