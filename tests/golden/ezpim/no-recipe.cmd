try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
cat >refused.s <<'S'
main:
  COMPUTE RFH0 VRF0
  SDIV r1 r2 r3
  COMPUTE_DONE
  SEND MPU1
  MOVE RFH0 RFH0
  MEMCPY VRF0 r0 VRF1 r0
  MOVE_DONE
  SEND_DONE
S
try ezpim -g refused.s --target racer
ezpim -g -c refused.s
try ezpim refused.o --target racer
ezpim -g refused.s
try ezpim refused.mpu --target racer -o x.mpu
