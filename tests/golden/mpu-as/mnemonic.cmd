# input: mnemonic.s
mpu-as -o out.o "$IN"
