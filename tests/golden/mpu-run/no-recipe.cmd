try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
cat >bad.s <<'S'
main:
  COMPUTE RFH0 VRF0
  XOR.4 r1 r2 r3
  COMPUTE_DONE
S
cp "$EXAMPLES/technology/and-or.yaml" .
printf 'group g[4];\nin x: i8 @ g;\nout z: i8 @ g;\nmain { compute g { z = x ^ 3; } }\n' >bad.ez
try mpu-run --target and-or.yaml bad.s
try mpu-run --target and-or.yaml bad.ez
mpu-as -g bad.s
try mpu-run --target and-or.yaml bad.o
mpu-as bad.s
try mpu-run --target and-or.yaml bad.o

grep -v 'value:' one-section.yaml >no-constants.yaml
printf 'main:\n  COMPUTE RFH0 VRF0\n  INIT0.8 r1\n  SHLI.8 r1 1 r2\n  COMPUTE_DONE\n' >bad.s
try mpu-run --target no-constants.yaml bad.s
