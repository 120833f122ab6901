try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
cat >bad.s <<'S'
main:
  COMPUTE RFH0 VRF0
  INDEX r3
  COMPUTE_DONE
S
printf 'group g[4];\nin x: i8 @ g;\nout z: i8 @ g;\nmain { compute g { INDEX z; } }\n' >bad.ez
try mpu-run -Wno-uninitialized --target racer bad.s
try mpu-run -Wno-uninitialized --target racer bad.ez
mpu-as -g bad.s
try mpu-run -Wno-uninitialized --target racer bad.o
mpu-as bad.s
try mpu-run -Wno-uninitialized --target racer bad.o
