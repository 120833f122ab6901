# An input without data is an error before the program begins; zeros are said.
try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
try mpu-run --target racer --size n=2 --in a=1 --print z axpy.ez
try mpu-run --target racer,mimdram --size n=2 --in a=1 --in x=iota axpy.ez
try mpu-run --target racer --size n=2 --in a=1 --in x=zeros --in y=zeros --print z axpy.ez
