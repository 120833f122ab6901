try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
cat >a.s <<'S'
main:
  COMPUTE RFH0 VRF0
in:
  INIT0 r1
  GOTO out
  JUMP_COND in
  JUMP_ANY main
  COMPUTE_DONE
out:
  GOTO in
  REPEAT 2
rep:
  NOP
  REPEAT_END
  GOTO rep
  GOTO inside
.sub s
  NOP
inside:
  GOTO main
  RETURN
.endsub
S
mpu-as a.s
try mpu-ld -o x.mpu a.o
mpu-as -g a.s
try mpu-ld -o x.mpu a.o
