try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
ezpim --target racer --size n=2 -o axpy.mpu axpy.ez
try mpu-run --target racer --size n=2 --in a=1 --in x=1,2 --in y=1,2 --print z axpy.mpu
try mpu-run --target racer --size n=3 --in a=1 --in x=1,2,3 --in y=1,2,3 --print z axpy.mpu
try mpu-run --target racer --set machine.mpus=5 --size n=2 --in a=1 --in x=1,2 --in y=1,2 --print z axpy.mpu
try mpu-run --target racer --size n=3 --in a=1 --in x=1,2,3 --in y=1,2,3 -Wno-stale-package axpy.mpu
