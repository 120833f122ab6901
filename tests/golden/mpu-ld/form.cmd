# no pipe: several files
# Shapes of arrays are told apart when objects are joined, kept by -r, and fit when sizes are known.
try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
mpu-as -o a.o form.s && mpu-as -o b.o form-other.s
try mpu-ld -r -o c.o a.o a.o
mpu-objdump -x c.o | sed -n '/VARIABLES/,/^$/p'
mpu-objdump --reassemble -o c.s c.o && mpu-as -o d.o c.s && cmp c.o d.o
try mpu-ld -o c.mpu a.o b.o
try mpu-ld -o c.mpu --target racer --size n=3 a.o
try mpu-ld -o c.mpu --target racer --size n=3,m=3 a.o
try mpu-ld -o d.mpu a.o
try mpu-run --target racer --size n=3,m=3 --print y d.mpu
try mpu-run --target racer --size n=3 --print x --print y d.mpu
rm -f c.mpu d.mpu *.o c.s
