# Standard output that takes nothing is said, whatever was to go there.
try() {
    echo "\$ $*" >&2
    "$@" >/dev/full
    echo "exit $?" >&2
}
run="mpu-run --target racer --in a=2 --in x=1,2 --in y=3,4 axpy.ez"
try $run --print z
try $run --out z=-
try $run --stats json
try mpu-run --target racer print.s
try mpu-run --list-targets
try mpu-run --print-target golden
try mpu-run --list-keys golden
for tool in ezpim mpu-as mpu-ld mpu-objdump mpu-run; do
    try $tool --help
    try $tool --version
done
