try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
try mpu-run --target racer --engine strickt --size n=4 axpy.ez
try mpu-run --target racer --batch two --size n=4 axpy.ez
try mpu-run --target racer --init ones --size n=4 axpy.ez
try mpu-run --target racer --init random:x --size n=4 axpy.ez
try mpu-run --target golden --check --size n=4 axpy.ez
