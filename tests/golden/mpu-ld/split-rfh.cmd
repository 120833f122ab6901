try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
cat >a.s <<'S'
.geometry rfhs=16
main:
  COMPUTE RFH0 VRF0
  COMPUTE RFH1 VRF0
  COMPUTE RFH2 VRF0
  COMPUTE RFH3 VRF0
  COMPUTE RFH4 VRF0
  COMPUTE RFH5 VRF0
  COMPUTE RFH6 VRF0
  COMPUTE RFH7 VRF0
  COMPUTE RFH8 VRF0
  INIT0 r1
  COMPUTE_DONE
S
mpu-as -g a.s
try mpu-ld --target racer -o x.mpu a.o
try mpu-ld --target racer -Werror -o y.mpu a.o
try mpu-ld --target racer -Wno-split-rfh -o x.mpu a.o
cat >>a.s <<'S'
  MOVE RFH0 RFH8
  MEMCPY.8 VRF0 r1 VRF0 r1
  MOVE_DONE
S
mpu-as a.s
try mpu-ld -Wno-split-rfh --target racer -o z.mpu a.o
mpu-as -g a.s
try mpu-ld -Wno-split-rfh --target racer -o z.mpu a.o
