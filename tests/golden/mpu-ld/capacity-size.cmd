try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
mpu-as sized.s
try mpu-ld --target racer --size n=16285696 -o x.mpu sized.o
try mpu-ld --target racer --size n=16285697 --print-capacity -o y.mpu sized.o
cat >many.s <<'S'
.size n
.group g[n]
.group h[n, n]
.var in x: u16 @g r1
.var in y: u16 @h r2
S
mpu-as many.s
try mpu-ld --target racer --size n=4000 -o y.mpu many.o
try mpu-ld --target racer --size n=2000000 -o y.mpu many.o
