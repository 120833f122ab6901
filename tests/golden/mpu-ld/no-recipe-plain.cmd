cat >a.s <<'S'
main:
  COMPUTE RFH0 VRF0
  AND.8 r1 r2 r3
  XOR.4 r1 r2 r3
  XOR.4 r1 r2 r4
  XOR.8 r1 r2 r3
  COMPUTE_DONE
S
cp "$EXAMPLES/technology/and-or.yaml" .
try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
mpu-as a.s
try mpu-ld --target and-or.yaml -o x.mpu a.o
mpu-as -g a.s
try mpu-ld --target and-or.yaml -o x.mpu a.o
mpu-ld -o y.mpu a.o
try mpu-ld --target and-or.yaml -o x.mpu y.mpu
# Too few rows are told with their line, too.
sed 's/scratch: 272/scratch: 1/' "$EXAMPLES/technology/imply.yaml" >few.yaml
try mpu-ld --target few.yaml -o x.mpu a.o
rm -f few.yaml
