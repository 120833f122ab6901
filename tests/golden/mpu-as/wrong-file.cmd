try() {
    echo "\$ mpu-as $*" >&2
    mpu-as "$@"
    echo "exit $?" >&2
}
printf '\223NUMPY\001\000v\000{"descr": "<u4"}\n' >x.npy
printf 'P5 2 2 255\n\001\002\003\004' >x.pgm
mpu-as good.s -o good.o
try -o x.o x.npy
try -o x.o x.pgm
try -o x.o good.o
