try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
try mpu-objdump
try mpu-objdump -l small.o
try mpu-objdump -d
try mpu-objdump -q small.o
try mpu-objdump --disasemble small.o
try mpu-objdump --s small.o
try mpu-objdump --reassemble -d small.o
try mpu-objdump --reassemble a.o b.o
try mpu-objdump -d @no-such.rsp
