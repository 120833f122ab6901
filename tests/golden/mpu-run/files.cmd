try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
. ./npy.sh
try mpu-run --target racer no-such.mpu
try mpu-run --target racer no-such.ez
try mpu-run --target racer .
try mpu-run --target racer --size n=2 --in x=no-such.npy axpy.ez
try mpu-run --target racer --size n=2 --in x=./ axpy.ez
try mpu-run --target racer --size n=2 --in x=1,2 --in y=1,2 --in a=1 --out z=no/such/z.npy axpy.ez
try mpu-run --target racer --size n=2 --in x=1,2 --in y=1,2 --in a=1 --out z=z.xyz axpy.ez
try mpu-run --target racer --size n=2 --in x=1,2 --in y=1,2 --in a=1 --expect z=no-such.npy axpy.ez
try mpu-run --target racer --size n=2 --in x=1,2 --in y=1,2 --in a=1 --stats json:no/such.json axpy.ez
try mpu-run --target racer @no-such.rsp
