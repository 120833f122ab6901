try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
try ezpim axpy.ez --target racer --size n=16285697 -o x.mpu
try ezpim axpy.ez --target racer --size m=3 -o x.mpu
try ezpim axpy.ez --target racer --size n=0 -o x.mpu
