try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
printf '\223NUMPY\001\000v\000{"descr": "<u4"}\n' >x.npy
printf 'P5 2 2 255\n\001\002\003\004' >x.pgm
: >empty.o
try mpu-objdump -d x.npy
try mpu-objdump -h x.pgm
try mpu-objdump -t small.s
try mpu-objdump -s empty.o
try mpu-objdump --reassemble small.s
try mpu-objdump -d .
