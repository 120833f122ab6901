try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
cat >a.s <<'S'
.size n = 4
.group g[n]
.var in x: u16 @g r1
.data x 1, 2, 3, 4
S
cat >b.s <<'S'
.size n = 8
.group g[8]
.var in x: u8 @g r1
S
mpu-as a.s
mpu-as b.s
try mpu-ld -o x.mpu a.o b.o
