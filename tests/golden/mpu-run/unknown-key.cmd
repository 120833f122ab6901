try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
try mpu-run --target racer --set machine.mpu=3 --size n=4 axpy.ez
try mpu-run --target racer --set mpus=3 --size n=4 --in x=iota --in y=iota --in a=1 --print z axpy.ez
try mpu-run --target racer --set array.lanes=many --size n=4 axpy.ez
try mpu-run --target racer --set array.lanes=0 --size n=4 axpy.ez
try mpu-run --target racer --set network.intra=starr --size n=4 axpy.ez
try mpu-run --target racer --set array.lanes=99999999999 --size n=4 axpy.ez
try mpu-run --target racer --set nothing=1 --size n=4 axpy.ez
