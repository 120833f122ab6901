# Data from standard input say by their bytes what they are, and are read once.
try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
run="mpu-run --target racer --in a=1 --in y=zeros"
printf '1,2,3\n' | try $run --in x=- --print z axpy.ez
printf '1 2\n3 4\n' | try $run --in x=- --print z axpy.ez
printf '\357\273\2771 2\n' | try $run --in x=- --print z axpy.ez
$run --in x=5,6 --out z=five.npy axpy.ez
try $run --in x=- --print z axpy.ez <five.npy
try $run --in x=1,2 --expect z=- axpy.ez <five.npy
printf '1 x\n' | try $run --in x=- axpy.ez
printf 'P5 2 1 255\nab' | try $run --in x=- axpy.ez
try $run --in x=- --expect z=- axpy.ez </dev/null
try $run --in x=- - <axpy.ez
try mpu-run --target racer,mimdram --in a=1 --in y=zeros --in x=- axpy.ez </dev/null
rm five.npy
