# Indices whose variable is kept in fewer bits than its type has; the same move again, when its index has changed and when it has not.
cat >m.ez <<'S'
size n;
group g[n];
in  x: u16 @ g;
in  s: u8 @ g;
out first, second, third, turned: u16 @ g;
var k, p: i32 @ g;
var a: u16 @ g;
main {
    compute g { k = i32(s & 3) - 1; }
    move a[i] = x[k[i]] clip;
    compute g { first = a; }
    compute g { k += 1; }
    move a[i] = x[k[i]] clip;
    compute g { second = a; }
    move a[i] = x[k[i]] clip;
    compute g { third = a; }
    compute g { p = i32(s & 3); }
    move p[i] = p[p[i]] wrap;
    move p[i] = p[p[i]] wrap;
    compute g { turned = u16(p); }
}
S
for o in 0 1 2; do
    ezpim -O$o -o m$o.mpu m.ez
    for t in golden racer; do
        mpu-run --target $t --size n=6 --in x=10,11,12,13,14,15 --in s=3,1,2,0,5,7 --print first --print second --print third --print turned m$o.mpu >$t$o.txt
        cmp golden0.txt $t$o.txt
    done
done
cat golden0.txt
ezpim -S -o - m.ez | sed -n 's/.*\.move \$M[0-9]* //p'
rm m.ez m0.mpu m1.mpu m2.mpu golden?.txt racer?.txt
