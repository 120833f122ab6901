try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
printf '.mpu 497\nmain: NOP\n' >a.s
mpu-as a.s
try mpu-ld --target racer -o x.mpu a.o
printf '.mpu 0\n.mpu 3\nmain: NOP\n' >a.s
mpu-as a.s
try mpu-ld --target racer -o x.mpu a.o
printf '.geometry lanes=128\nmain:\n  COMPUTE RFH0 VRF0\n  INIT0 r1\n  COMPUTE_DONE\n' >a.s
mpu-as -g a.s
try mpu-ld --target racer -o x.mpu a.o
printf '.geometry rfhs=16\nmain:\n  COMPUTE RFH15 VRF0\n  INIT0 r1\n  COMPUTE_DONE\n' >a.s
mpu-as -g a.s
try mpu-ld --target racer -o x.mpu a.o
