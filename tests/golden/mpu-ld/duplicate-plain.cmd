cat >a.s <<'S'
.global main
.global twice
main:
twice: NOP
S
cat >b.s <<'S'
// another
  NOP
.global twice
twice: HALT
S
try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
mpu-as a.s && mpu-as b.s
try mpu-ld -o x.mpu a.o b.o
mpu-as -g a.s && mpu-as -g b.s
try mpu-ld -o x.mpu a.o b.o
try mpu-ld -r -o x.o a.o b.o
