# Indices that variables hold, in ezpim: a register of an array, an array of indices, a permutation and its inverse.
cat >m.ez <<'S'
size n;
group g[n];
group h[n] like g;
group t[3, 4];
in  x: u16 @ g;
in  p: u8 @ h;
in  which: i8 @ g;
in  a: u8[2] @ t;
in  ka: u8[2] @ t;
out there, back: u16 @ g;
out picked, stays: u16 @ g;
out turned, low: u8[2] @ t;
var v: u16[3] @ g;
var k: u8[3] @ g;
main {
    move there[p[i]] = x[i];
    move back[i] = there[p[i]];
    compute g {
        v[0] = x;
        v[1] = x + 100;
        v[2] = x + 200;
        k[0] = 0;
        k[1] = u8(which + 1);
        k[2] = 9;
        stays = 7;
    }
    move picked[i] = v[i, which[i]] clip;
    move stays[i] = v[i, k[i, 1]] for i: 1 .. n - 1;
    move turned[i, j] = a[ka[i, j], 3 - j] wrap;
    move low[i, ka[i, j, 0]] = a[i, j] clip;
}
S
for o in 0 1 2; do
    for t in golden racer mimdram; do
        ezpim -O$o -o m$o.mpu m.ez
        mpu-run --target $t --init random:5 --size n=6 --in x=10,11,12,13,14,15 --in p=3,0,5,1,2,4 --in which=-1,0,1,2,3,1 --in a=iota --in ka=0,5,1,9,2,0,3,3,1,2,0,0,2,7,3,1,3,2,0,4,2,2,1,3 --print there --print back --print picked --print stays --print turned --print low m$o.mpu >$t$o.txt
        cmp golden0.txt $t$o.txt
    done
done
cat golden0.txt
rm m.ez m0.mpu m1.mpu m2.mpu *0.txt *1.txt *2.txt
