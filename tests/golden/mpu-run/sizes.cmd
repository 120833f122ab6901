try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
try mpu-run --target racer --in a=2 axpy.ez
try mpu-run --target racer --size m=4 axpy.ez
try mpu-run --target racer --size nn=4 --size n=4 axpy.ez
try mpu-run --target racer --size n=0 axpy.ez
try mpu-run --target racer --size n=4 --size n=5 axpy.ez
try mpu-run --target racer --set machine.mpus=1 --size n=32769 --in a=2 --in x=zeros --in y=zeros axpy.ez
try mpu-run --target racer --in a=2 --in x=1,2,3 --in y=4,5,6,7 axpy.ez
