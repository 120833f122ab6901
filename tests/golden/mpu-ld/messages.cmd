# What no order of instructions in one file shows for certain, or only the whole program.
try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
mpu-as -g messages.s
try mpu-ld -o x.mpu messages.o
mpu-as messages.s
try mpu-ld -o x.mpu messages.o
printf '.geometry grid=[2, 2]\n.mpu 3, main\nmain: SEND MPU3\nMOVE RFH0 RFH0\nMOVE_DONE\nSEND_DONE\nRECV MPU7\nRECV MPU2\n' >partner.s
mpu-as -g partner.s
try mpu-ld -o x.mpu partner.o
printf 'main: SEND MPU0\n MOVE RFH0 RFH0\nin: MOVE_DONE\ndone: SEND_DONE\nGOTO done\nJUMP out\nout: HALT\n.sub s\nRETURN\n.endsub\n' >jump.s
mpu-as -g jump.s
try mpu-ld -o x.mpu jump.o
printf '.geometry grid=[2]\n.mpu 0..2\nNOP\n' >grid.s
mpu-as grid.s
try mpu-ld -o x.mpu grid.o
printf '.geometry grid=[2, 3]\n.group g[4] per mpu\n' >a.s
printf '.geometry grid=[3, 2]\n.group g[4] per mpu\n' >b.s
printf '.group g[4]\nNOP\n' >c.s
mpu-as a.s && mpu-as b.s && mpu-as c.s
try mpu-ld -o x.mpu a.o b.o
try mpu-ld -o x.mpu a.o c.o
printf '.mpu 0, one\n.mpu 1, two\n.group g[100000]\none: NOP\ntwo: COMPUTEG @g\nINIT0 r1\nCOMPUTE_DONE\n' >span.s
mpu-as -g span.s
try mpu-ld --target racer -o x.mpu span.o
printf '.geometry grid=[2]\n.group g[40000] per mpu\nCOMPUTEG @g\nINIT0 r1\nCOMPUTE_DONE\nJUMP_ANY 0\n' >each.s
mpu-as -g each.s
try mpu-ld --target racer -o x.mpu each.o
