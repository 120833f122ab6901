# No output is an input or another output; a program that gets a package is written where it was.
try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
echo NOP | mpu-as -o a.o -
cp a.o same.o
cp user-min3.recipe r.recipe
try mpu-ld -o a.o a.o
try mpu-ld -r -o ./a.o a.o
try mpu-ld -Map=a.o a.o
try mpu-ld -o a.mpu -Map=./a.mpu a.o
try mpu-ld -o a.mpu a.o --recipe-file r.recipe -Map=r.recipe
mpu-ld a.o
try mpu-ld -o a.mpu --target racer a.mpu
try mpu-ld --target racer a.mpu
cmp a.o same.o
mpu-objdump -x a.mpu | grep -c racer
rm -f a.o same.o r.recipe a.mpu
