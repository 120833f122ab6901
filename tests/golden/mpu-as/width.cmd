# input: width.s
mpu-as -o out.o "$IN"
