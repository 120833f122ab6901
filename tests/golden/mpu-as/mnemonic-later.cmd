# input: mnemonic-later.s
mpu-as -o out.o "$IN"
