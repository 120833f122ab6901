# A target of one's own whose gates do not suffice.
cat >a.s <<'S'
main:
  COMPUTE RFH0 VRF0
  AND.8 r1 r2 r3
  SDIV.8 r1 r2 r3
  XOR.16 r1 r2 r3
  XOR.4 r1 r2 r3
  COMPUTE_DONE
S
cat >b.s <<'S'
main:
  COMPUTE RFH0 VRF0
  AND.8 r1 r2 r3
  OR.8 r1 r2 r3
  COMPUTE_DONE
S
cp "$EXAMPLES/technology/and-or.yaml" .
try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
mpu-as -g a.s
mpu-as b.s
try mpu-ld --target and-or.yaml -o x.mpu a.o
try mpu-ld --target racer,and-or.yaml -o x.mpu a.o
try mpu-ld --target and-or.yaml -o x.mpu b.o
mpu-objdump -x x.mpu | grep bytes
rm a.s b.s a.o b.o x.mpu and-or.yaml
