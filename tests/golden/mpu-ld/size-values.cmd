try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
mpu-as sized.s
try mpu-ld -o x.mpu sized.o
try mpu-ld --target racer -o x.mpu sized.o
try mpu-ld --target racer --size m=4 -o x.mpu sized.o
try mpu-ld --target racer --size n=4,rounds=9999999 -o x.mpu sized.o
try mpu-ld --target racer --size n=4 --size n=5 -o y.mpu sized.o
mpu-ld -o z.mpu sized.o
try mpu-ld --target racer -o x.mpu z.mpu
