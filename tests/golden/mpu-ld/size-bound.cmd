try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
printf '.size n <= 65536 = 100\n.group g[n]\n.var in x: u8 @g = r1\n' >a.s
printf '.size n <= 65537 = 100\n.group g[n]\n.var in x: u8 @g = r1\n' >b.s
mpu-as a.s
mpu-as b.s
try mpu-ld --target racer --size n=65536 -o x.mpu a.o
try mpu-ld --target racer --size n=65537 -o y.mpu a.o
try mpu-ld --target racer --size n=65537 -o y.mpu b.o
try mpu-ld -o y.mpu a.o b.o
mpu-ld -o z.mpu -Map=map a.o a.o
grep '^size' map
rm -f *.s *.o *.mpu map
