try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
try mpu-run --target racer --size n=4 --in a=2 --in x=iota --in y=iota --print z[4:9] --print z[2:9] axpy.ez
try mpu-run --target racer --size n=4 --in a=2 --in x=iota --in y=iota --print a --print z[:2] --print z[2:] axpy.ez
