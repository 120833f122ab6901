# input: variable-twice.s
mpu-as -o out.o "$IN"
