# Fig. 6 alone names an MPU that it does not have; with its partner it runs on five.
try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
mpu-as -g -o fig6.o fig6.s
try mpu-ld -o fig6.mpu fig6.o
printf '.geometry grid=[5]\n.mpu 0, main\n.mpu 1..4, partner\npartner: RECV MPU0\nHALT\nmain:\n' >partner.s
mpu-as -g partner.s
try mpu-ld --target racer,golden -o fig6.mpu partner.o fig6.o
ls *.mpu
