# input: variable.s
mpu-as -o out.o "$IN"
