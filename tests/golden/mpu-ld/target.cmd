try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
mpu-as lib.s
try mpu-ld --target raser -o x.mpu lib.o
try mpu-ld --target golden,racer-oscr -o x.mpu lib.o
try mpu-ld --target nowhere.yaml -o x.mpu lib.o
printf 'schema: 1\nname: mine\nknid: plane\n' >mine.yaml
try mpu-ld --target mine.yaml -o x.mpu lib.o
printf 'schema: [1\n' >open.yaml
try mpu-ld --target open.yaml -o x.mpu lib.o
