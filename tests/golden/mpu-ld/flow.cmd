try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
cat >a.s <<'S'
main:
  MOVE_DONE
  COMPUTE RFH9 VRF0
  NOP
  MOVE_DONE
S
mpu-as a.s
try mpu-ld -o x.mpu a.o
mpu-as -g a.s
try mpu-ld -o x.mpu a.o
