# no pipe: several files
# Registers of no group may lie in some groups' VRFs; objects that say it differently are not joined.
try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
mpu-as -o a.o scope.s && mpu-as -o b.o scope-other.s
try mpu-ld -r -o c.o a.o
mpu-objdump -x c.o | sed -n '/VARIABLES/,/SYMBOL/p'
mpu-objdump --reassemble -o c.s c.o && mpu-as -o d.o c.s && cmp c.o d.o
try mpu-ld -o c.mpu a.o b.o
try mpu-ld -o c.mpu --target racer -Map=- a.o | grep -e variable -e '  move' -e '^    RFH'
rm -f c.mpu *.o c.s
