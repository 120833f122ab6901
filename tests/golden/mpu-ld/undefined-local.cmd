cat >a.s <<'S'
.global helper
main:
  JUMP helper
S
cat >b.s <<'S'
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
