# An instruction of one's own has its name everywhere, and its disassembly reassembles
# no pipe: the file is the point
cat >own.recipe <<'S'
instruction BOTH(a, b) -> d   opcode 0xC5
{
  computes d == a & b
}
recipe BOTH(a, b) -> d   any w   generic
{
  for j in 0 .. w-1 { d[j] = a[j] & b[j] }
}
S
cat >own.s <<'S'
.recipe "own.recipe"
main:
  COMPUTE RFH0 VRF0
  BOTH.8 r1 r2 r3
  COMPUTE_DONE
S
mpu-as -o own.o own.s
mpu-ld --target racer,mimdram -Map own.map -o own.mpu own.o
grep BOTH own.map
mpu-objdump -d own.mpu | grep BOTH
mpu-objdump --recipes --target mimdram own.mpu | grep BOTH
mpu-objdump --reassemble -o again.s own.o
mpu-as -o again.o again.s
cmp own.o again.o
mpu-run --target racer --stats csv own.mpu | grep -o 'BOTH[^,]*'
mpu-run --target racer --stats text:full own.mpu | grep -o 'BOTH.8 '
rm -f own.recipe own.s again.s own.map ./*.o ./*.mpu
