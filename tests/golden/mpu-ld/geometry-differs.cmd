try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
printf '.geometry lanes=128\nNOP\n' >a.s
printf '.geometry lanes=64\nNOP\n' >b.s
mpu-as a.s && mpu-as b.s
try mpu-ld -o x.mpu a.o b.o
