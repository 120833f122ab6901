try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
. ./npy.sh
npy good.npy '<i4' '(2,)' '\1\0\0\0\2\0\0\0'
cp good.npy good.mpu
: >empty.mpu
ezpim -o axpy.mpu axpy.ez
head -c 300 axpy.mpu >short.mpu
cp axpy.mpu axpy.npy
try mpu-run --target racer good.npy
try mpu-run --target racer good.mpu
try mpu-run --target racer empty.mpu
try mpu-run --target racer short.mpu
try mpu-run --target golden --size n=2 --in x=axpy.mpu axpy.ez
try mpu-run --target golden --size n=2 --in x=axpy.npy axpy.ez
try mpu-run --target axpy.ez axpy.mpu
try mpu-run --target ./axpy.ez axpy.mpu
