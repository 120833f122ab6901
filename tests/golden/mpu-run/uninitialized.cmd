try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
try mpu-run --target racer --size n=2 --in a=1 --print z axpy.ez
try mpu-run --target racer --size n=2 --in a=1 -Wno-uninitialized axpy.ez
try mpu-run --target racer --size n=2 --in a=1 -Werror axpy.ez
