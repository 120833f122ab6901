cat >a.s <<'S'
main:
  COMPUTE RFH0 VRF0
  ADD.8 r1 r2 r3
  INDEX r3
  INDEX r4
  INDEX.8 r3
  COMPUTE_DONE
S
try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
mpu-as a.s
try mpu-ld --target racer -o x.mpu a.o
mpu-as -g a.s
try mpu-ld --target racer -o x.mpu a.o
try mpu-ld --target golden -o x.mpu a.o
mpu-ld -o y.mpu a.o
try mpu-ld --target racer -o x.mpu y.mpu
