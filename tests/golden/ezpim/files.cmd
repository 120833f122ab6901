try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
try ezpim no-such.ez
try ezpim .
try ezpim -o no/such/x.mpu axpy.ez
try ezpim @no-such.rsp
try ezpim axpy.txt
