# no pipe: several files
# Reductions that the host may finish: whole at top level, once for an output; where the package has them.
try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
mpu-as -o a.o finish.s && mpu-as -o wrong.o finish-wrong.s
try mpu-ld -o w.mpu wrong.o
try mpu-ld -o w.mpu a.o a.o
try mpu-ld -r -o c.o a.o
mpu-objdump --reassemble -o c.s c.o && mpu-as -o d.o c.s && cmp c.o d.o
try mpu-ld --gc-sections -o c.mpu c.o
mpu-objdump -x c.mpu | sed -n '/REDUCTIONS/,/^$/p'
for f in auto device host; do
    try mpu-ld -o p.mpu --target racer --size n=1000 --finish $f -Map=- c.mpu | grep finish
done
try mpu-objdump --target racer p.mpu | grep finish
try mpu-ld -o q.mpu --finish host c.mpu
try mpu-ld -o q.mpu --finish both --target racer c.mpu
rm -f c.mpu p.mpu *.o c.s
