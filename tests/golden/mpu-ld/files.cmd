try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
mpu-as lib.s
try mpu-ld no-such.o
try mpu-ld .
try mpu-ld -o no/such/x.mpu lib.o
try mpu-ld -Map=no/such/x.map -o x.mpu lib.o
try mpu-ld @no-such.rsp
