try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
. ./npy.sh
npy good.npy '<i4' '(3,)' '\3\0\0\0\5\0\0\0\7\0\0\0'
npy bad.npy '<i4' '(3,)' '\3\0\0\0\6\0\0\0\7\0\0\0'
npy long.npy '<i4' '(4,)' '\3\0\0\0\6\0\0\0\7\0\0\0\7\0\0\0'
run="mpu-run --target racer --in a=2 --in x=0,1,2 --in y=3,3,3 axpy.ez"
try $run --expect z=good.npy
try $run --expect z=3,5,7
try $run --expect z=bad.npy
try $run --expect z=1,1,1
try $run --expect z=long.npy
try $run --expect z=3,5
try $run --expect q=3,5
try $run --expect z=zeros
try mpu-run --target racer --size n=40 --in a=0 --in x=iota --in y=iota --expect z=zeros axpy.ez
