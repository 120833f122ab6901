try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
mpu-as sized.s
mpu-ld --target racer --size n=100 -o x.mpu sized.o
try mpu-ld --target racer --size n=200 -o y.mpu x.mpu
mpu-objdump -x y.mpu | grep -c "^racer: "
