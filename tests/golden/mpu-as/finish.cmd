# input: finish.s
mpu-as -o out.o "$IN"
