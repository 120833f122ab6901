# Used by two objects, defined by none.
cat >a.s <<'S'
.global main
.global helprr
main:
  JUMP helper_one
  JUMP helprr
.global helper_one
S
cat >b.s <<'S'
.global helprr
.sub other
  NOP
  JUMP helprr
  RETURN
.endsub
.global helper
.sub helper
  RETURN
.endsub
S
try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
mpu-as a.s && mpu-as b.s
try mpu-ld -o x.mpu a.o b.o
mpu-as -g a.s && mpu-as -g b.s
try mpu-ld -o x.mpu a.o b.o
