cat >a.s <<'S'
main:
  COMPUTE RFH0 VRF0
  ADD.8 r1 r2 r3
  SDIV r1 r2 r3
  SDIV r1 r2 r4
  SDIV.8 r1 r2 r3
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
