# no pipe: several runs
# Values are checked against the type in the registers, and types and shapes against the array's.
try() {
    echo "\$ $*" >&2
    "$@" form.s
    echo "exit $?" >&2
}
try mpu-run --target racer --in b=1,2,3,4,5,6 --size n=3 --in x=-32,0,30 --print z --print w
try mpu-run --target racer --in b=1,2,3,4,5,6 --size n=3 --in x=-32,0,31 --print w[1:]
try mpu-run --target racer --in b=1,2,3,4,5,6 --size n=3 --in x=-33,0,31
try mpu-run --target racer --in b=1,2,3,4,5,128 --size n=3 --in x=-32,0,31
try mpu-run --target racer --in x=random:1 --in b=iota --size n=4 --out z=z.npy --out w=w.npy
try mpu-run --target racer --in x=w.npy --in b=iota --expect w=1,2,3,4
try mpu-run --target racer --in x=1,2 --in b=w.npy
try mpu-run --target racer --in x=z.npy --in b=iota
try mpu-run --target racer --in b=1,2,3 --in x=1 --print w
rm -f w.npy z.npy
