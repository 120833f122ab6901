# The text of this object begins at byte 112: an opcode that does not exist.
mpu-as -o bad.o scale.s
printf '\377\377\377\017' | dd of=bad.o bs=1 seek=112 conv=notrunc 2>/dev/null
mpu-objdump -d bad.o
