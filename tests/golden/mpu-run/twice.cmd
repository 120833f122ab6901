# A program is one file.
try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
ezpim -o a.mpu axpy.ez && cp a.mpu b.mpu
try mpu-run --target racer a.mpu ./a.mpu
try mpu-run --target racer a.mpu b.mpu
try mpu-run --target racer --size n=-1 a.mpu
try mpu-run --target racer --size n=x a.mpu
try ezpim --target racer --size n=-1 axpy.ez
rm a.mpu b.mpu
