# Messages of the linker have places with and without -g, and come once for several targets.
cp "$EXAMPLES/technology/and-or.yaml" .
try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
cat >send.s <<'S'
main:
  SEND MPU1
  MOVE RFH0 RFH0
  MEMCPY VRF0 r0 VRF1 r0
  MOVE_DONE
  SEND_DONE
S
cat >divide.s <<'S'
main:
  COMPUTE RFH0 VRF0
  SDIV.8 r1 r2 r3
  COMPUTE_DONE
S
cat >divide.ez <<'S'
group g[8];
in x, y: i8 @ g;
out z: i8 @ g;
main {
    compute g { z = x + y / x; }
}
S
try ezpim send.s --target racer,racer-oscar
try ezpim divide.s --target and-or.yaml
try ezpim divide.ez --target and-or.yaml
try ezpim divide.ez --target racer -o divide.mpu
rm send.s divide.s divide.ez divide.mpu and-or.yaml
