# What moves leave, on targets with other lanes, and what they count.
cat >m.s <<'S'
        .size  n
        .group g[n]
        .group t[2, 3]
        .group u[3, 2]
        .var in  x: i16 @g = r1
        .var out y: i16 @g = r2
        .var out z: i16 @g = r3
        .var out i: u32 @g = r4
        .var in  a: u8 @t = r5
        .var out b: u8 @u = r6
        .var out c: u8[3] @u = r7
        .var out s: i16 @g = r10
        .move  shift i16 y[k] = x[k - 1] wrap
        .move  thin i16 z[k] = x[2 * k] else -1
        .move  turn u8 b[j, k] = a[k, j]
        .move  lay u8 c[j, k: 0 .. 1, l] = a[k, l]
        .move  first i16 r10 = x[0]
        COMPUTEG @g
        INDEX.32 i
        COMPUTE_DONE
        GMOVE  shift
        GMOVE  thin
        GMOVE  turn
        GMOVE  lay
        GMOVE  first
S
for t in golden racer mimdram duality-cache; do
    mpu-run --target $t --size n=7 --in x=10,-11,12,-13,14,-15,16 --in a=1,2,3,4,5,6 --print y --print z --print i --print b --print c --print s m.s >$t.txt
done
cat golden.txt
cmp golden.txt racer.txt
cmp golden.txt mimdram.txt
cmp golden.txt duality-cache.txt
mpu-run --target racer --size n=7 --in x=iota --in a=iota --stats text:full m.s | grep register_transfers
mpu-run --target racer --set dtc.buffer_registers=0 --size n=7 --in x=iota --in a=iota m.s
status=$?
rm m.s golden.txt racer.txt mimdram.txt duality-cache.txt
exit $status
