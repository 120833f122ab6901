try() {
    echo "\$ $*" >&2
    "$@" >/dev/null
    echo "exit $?" >&2
}
cat >bits.s <<'S'
main:
  COMPUTE RFH0 VRF0
  OR.8 r1 r2 r3
  COMPUTE_DONE
S
mpu-as bits.s
mpu-ld bits.o
try mpu-objdump --recipes bits.o
try mpu-objdump --recipes bits.mpu
try mpu-objdump --recipes --target racer bits.mpu
try mpu-objdump --recipes --target rac bits.mpu
try mpu-objdump --recipes --size n=4 bits.mpu
mpu-objdump --recipes --target golden bits.mpu | tail -n 1
