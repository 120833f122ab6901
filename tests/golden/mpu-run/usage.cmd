try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
try mpu-run
try mpu-run axpy.ez
try mpu-run --target racer
try mpu-run --target racer,,golden axpy.ez
try mpu-run --traget racer axpy.ez
try mpu-run --target racer --set axpy.ez
try mpu-run --target racer --set machine.mpus axpy.ez
try mpu-run --target racer --size n axpy.ez
try mpu-run --target racer --size n=1,2, axpy.ez
try mpu-run --target racer --size n=many axpy.ez
try mpu-run --target racer --in x axpy.ez
try mpu-run --target racer --in x= axpy.ez
try mpu-run --target racer --in x=1 --in x=2 axpy.ez
try mpu-run --target racer --out z axpy.ez
try mpu-run --target racer --print 'z[3' axpy.ez
try mpu-run --target racer --print 'z[3:1]' axpy.ez
try mpu-run --target racer --expect z axpy.ez
try mpu-run --target racer --stats xml axpy.ez
try mpu-run --target racer --stats json: axpy.ez
try mpu-run --target racer --max-cycles 0 axpy.ez
try mpu-run --target racer --max-cycles soon axpy.ez
try mpu-run --target racer --max-seconds -1 axpy.ez
try mpu-run --target racer -j 0 axpy.ez
try mpu-run --target racer -j257 axpy.ez
try mpu-run --target racer -j two axpy.ez
try mpu-run axpy.ez -j
try mpu-run --list-keys
try mpu-run -z
