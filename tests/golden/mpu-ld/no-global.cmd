try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
mpu-as call.s && mpu-as lib.s
try mpu-ld -o x.mpu call.o
