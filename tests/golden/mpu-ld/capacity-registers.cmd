# 64 registers of 64 bits fit racer; a target with fewer rows refuses them.
try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
cat >a.s <<'S'
.var in x: u64[33] r0
.var in y: u64[31] r33
main:
  COMPUTE RFH0 VRF0
  ADD r0 r33 r63
  COMPUTE_DONE
S
mpu-as -g a.s
try mpu-ld --target racer -o x.mpu a.o
mpu-objdump -x x.mpu | tail -20
