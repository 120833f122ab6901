try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
cat >a.s <<'S'
.size n
.size k = 2
.size m = (2 * n + 3) / 4
.size product = n * n
.size last = product / (k - 2 + n / 100 * n)
.group g[n]
.group q[n / 4, k] like g
.var in x: u16 @g r1
.var in y: u16 @q r2
.move take u16 y[i, j: 0 .. k] = x[n - 1 - 4 * i - j]
GMOVE take
COMPUTEG @g
LI.12 size(m) r1
COMPUTE_DONE
REPEAT size(n * 4)
REPEAT_END
HALT
S
cat >b.s <<'S'
.size n
.group g[n]
.group q[n / 4, 2]
.group r[n / 4]
REPEAT size(min(n, 5))
REPEAT_END
S
cat >c.s <<'S'
.size n
.size k = 2
.group g[n]
.group q[n / 4, k] like g
.group r[(n + 3) / 5]
REPEAT size(min(n, 5))
REPEAT_END
S
for f in a b c; do mpu-as $f.s; done
try mpu-ld -o x.mpu a.o b.o
try mpu-ld -o x.mpu a.o c.o
mpu-ld -Map=x.map -o x.mpu a.o c.o && grep '^size' x.map >&2
mpu-ld -r -o ac.o a.o c.o && mpu-ld -o y.mpu ac.o && cmp x.mpu y.mpu
mpu-ld -r -o aa.o a.o && cmp a.o aa.o
try mpu-ld --target racer --size n=400,m=3 -o x.mpu a.o
try mpu-ld --target racer --size n=400,w=3 -o x.mpu a.o
try mpu-ld --target racer --size n=3 -o x.mpu a.o
try mpu-ld --target racer --size n=99 -o x.mpu a.o
try mpu-ld --target racer --size n=1048577 -o x.mpu a.o
try mpu-ld --target racer --size n=1048576 -o x.mpu a.o
try mpu-ld --target racer --size n=400 -o x.mpu a.o
mpu-objdump --target racer x.mpu | sed -n '/sizes/,/place/p' >&2
