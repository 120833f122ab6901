try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
try mpu-run --target racer --size n=4 --in a=1,2 axpy.ez
try mpu-run --target racer --size n=4 --in x=1,2,3 axpy.ez
try mpu-run --target racer --size n=4 --in q=1,2,3 types.ez
try mpu-run --target racer --size n=4 --in x=1,2,3,32 types.ez
try mpu-run --target racer --size n=4 --in b=0,1,2,0 types.ez
try mpu-run --target racer --size n=4 --in y=0,1,-40000,0 types.ez
try mpu-run --target racer --size n=4 --in a=256 types.ez
try mpu-run --target racer --size n=4 --in a=-1 types.ez
try mpu-run --target racer --size n=4 --in x=random:1:0..99 types.ez
try mpu-run --target racer --size n=4 --in x=random:one types.ez
try mpu-run --target racer --size n=4 --in x=1,,2 types.ez
try mpu-run --target racer --size n=4 --in x=99999999999999999999 types.ez
