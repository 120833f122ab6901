try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
mpu-as call.s && mpu-as lib.s
try mpu-ld -o x.mpu --entry=mian call.o lib.o
try mpu-ld -o x.mpu --entry=helper call.o lib.o
mpu-objdump -x x.mpu | grep -i -A2 entr
