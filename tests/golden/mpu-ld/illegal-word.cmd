# A word that is no instruction, put into the text of an object.
try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
mpu-as -g lib.s
LC_ALL=C sed 's/\x00\x10\x1c\x40/\x00\x10\x1c\x0f/' lib.o >bad.o
cmp -s lib.o bad.o && echo "the word was not found"
try mpu-ld -o x.mpu bad.o
try mpu-objdump -d bad.o
