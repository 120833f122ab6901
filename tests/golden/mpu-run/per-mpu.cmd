# A group in each MPU: shapes begin with the grid.
try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
cat >each.s <<'S'
        .geometry grid=[2, 3]
        .size n
        .group g[n] per mpu
        .var in  x: u8 @g = r0
        .var in  a: u8 = r2
        .var out y: u8[2] @g = r4
main:   COMPUTEG @g
        ADD.8 r0 r2 r4
        ADD.8 r0 r0 r5
        COMPUTE_DONE
        HALT
S
mpu-as each.s && mpu-objdump -x each.o | sed -n '/^grid/p;/^GROUPS/,/^$/p'
try mpu-run --target racer each.s --in x=random:1:0..9 --in a=10 --size n=2 --print x --print y
try mpu-run --target racer each.s --in x=1,2,3,4,5,6 --in a=10
try mpu-run --target racer each.s --in x=1,2,3,4,5,6 --in a=10 --size n=1 --print y --batch one
try mpu-run --target racer each.s --in x=zeros --in a=1 --size n=40000
