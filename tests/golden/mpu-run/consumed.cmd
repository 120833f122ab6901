# A consumed input is not read after the run: asked for, nothing runs.  Its registers are used again.
try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
in='--in x=1,2,3 --in y=4,5,6 --in v=1,2,3,4,5,6'
try mpu-run --target racer consumed.ez $in --print x
try mpu-run --target racer consumed.ez $in --out y=y.npy
try mpu-run --target racer,mimdram consumed.ez $in --expect v=zeros
mpu-run --target racer --check consumed.ez $in --print z
sed 's/in consumed/in/' consumed.ez >kept.ez
mpu-run --target racer kept.ez $in --print x --print z
for f in consumed kept; do
    ezpim -o $f.mpu $f.ez
    mpu-ld --target mimdram --size n=3 --print-capacity -o x.mpu $f.mpu | grep -E '^  (registers|bits)'
done
