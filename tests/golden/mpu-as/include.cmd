# input: include.s
mpu-as -o out.o "$IN"
