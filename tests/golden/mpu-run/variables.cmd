try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
try mpu-run --target racer --size n=4 --in xx=1 axpy.ez
try mpu-run --target racer --size n=4 --in w=1 axpy.ez
try mpu-run --target racer --size n=4 --in z=1,2,3,4 axpy.ez
try mpu-run --target racer --size n=4 --in a=0 --in x=zeros --in y=zeros --out y=y.npy axpy.ez
try mpu-run --target racer --size n=4 --in RFH9.VRF0.r0=1 axpy.ez
try mpu-run --target racer --size n=4 --in RFH0.VRF0.r40=1 axpy.ez
try mpu-run --target racer --size n=4 --in RFH0.VRF0.r0:q8=1 axpy.ez
try mpu-run --target racer --size n=4 --in MPU600.RFH0.VRF0.r0=1 axpy.ez
try mpu-run --target racer --size n=4 --print 'zz' axpy.ez
