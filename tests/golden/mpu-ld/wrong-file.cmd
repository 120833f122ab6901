try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
printf '\223NUMPY\001\000v\000{"descr": "<u4"}\n' >x.npy
printf 'P5 2 2 255\n\001\002\003\004' >x.pgm
: >empty.o
mpu-as lib.s
try mpu-ld -o x.mpu x.npy
try mpu-ld -o x.mpu x.pgm
try mpu-ld -o x.mpu lib.s
try mpu-ld -o x.mpu empty.o
head -c 100 lib.o >short.o
try mpu-ld -o x.mpu short.o
mpu-ld -o lib.mpu lib.o
try mpu-ld -o x.mpu lib.mpu
try mpu-ld -o x.mpu lib.mpu lib.o
try mpu-ld --target racer -o x.mpu lib.mpu lib.mpu
cp /bin/true true.o 2>/dev/null || cp "$(command -v true)" true.o
try mpu-ld -o x.mpu true.o
