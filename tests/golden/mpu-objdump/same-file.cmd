# The output is no input.
try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
echo NOP | mpu-as -o a.o -
try mpu-objdump -d -o ./a.o a.o
try mpu-objdump --reassemble -o a.o - <a.o
mpu-objdump -h a.o >/dev/null && rm a.o
