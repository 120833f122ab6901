# What is nearly right is refused with what would be.
try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
try mpu-run --target golden axpy.ez a=3 x=1,2
try mpu-run --target golden axpy.ez --size=n=2 --in a=3 'x=1, 2' --print z
try mpu-run --target golden --in a=3 --in x=random --in y=zeros --size n=2 axpy.ez
try mpu-run --target golden --in a=3 --in 'x=rand(7)' --in y=zeros --size n=2 axpy.ez
try mpu-run --target golden --in a=3 --in x=zero --in y=zeros --size n=2 axpy.ez
try mpu-run --target racer --in a=3 --in x=1,2 --in y=zeros --set clock=2 axpy.ez
printf 'left,right\n1,2\n' >names.csv
try mpu-run --target golden --in a=3 --in x=names.csv --in y=zeros axpy.ez
. ./npy.sh
npy real.npy '<f4' '(2,)' '\0\0\200\077\0\0\0\100'
try mpu-run --target golden --in a=3 --in x=real.npy --in y=zeros axpy.ez
