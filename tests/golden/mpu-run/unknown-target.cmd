try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
try mpu-run --target raser axpy.ez
try mpu-run --print-target raser
try mpu-run --list-keys raser
try mpu-run --target no/such.yaml axpy.ez
