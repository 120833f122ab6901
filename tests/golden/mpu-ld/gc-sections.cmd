cat >a.s <<'S'
main:
  JUMP used
  HALT
.sub unused
  NOP
  RETURN
.endsub
.sub used
  RETURN
.endsub
S
mpu-as a.s
mpu-ld --gc-sections -o x.mpu a.o
mpu-objdump -d x.mpu
