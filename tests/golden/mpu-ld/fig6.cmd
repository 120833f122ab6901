# Every instruction that is refused is named; without a target the program is fine.
try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
mpu-as -o fig6.o fig6.s
try mpu-ld -o fig6.mpu fig6.o
try mpu-ld --target racer -o x.mpu fig6.o
mpu-as -g -o fig6.o fig6.s
try mpu-ld --target racer,golden -o x.mpu fig6.o
ls *.mpu
